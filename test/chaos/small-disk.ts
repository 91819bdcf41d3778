import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Whether this user may make disks. */
export const mayMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0

const megabytes = 24
const chunk = Buffer.alloc(256 * 1024)

/** The folder of one agent as a disk of its own, where this user may mount one. */
export class SmallDisk {
  readonly #folder: string
  readonly canBeFilled: boolean

  constructor(folder: string) {
    this.#folder = folder
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
    this.canBeFilled = status === 0
    process.once('exit', () => this.remove())
  }

  fill(): void {
    if (!this.canBeFilled) return
    const file = openSync(this.#ballast, 'w')
    try {
      for (;;) if (writeSync(file, chunk) < chunk.length) return
    } catch {
      // It is full: that is what was wanted.
    } finally {
      closeSync(file)
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  remove(): void {
    if (this.canBeFilled) spawnSync('umount', ['-l', this.#folder])
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast')
  }
}
