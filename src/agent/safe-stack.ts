import { fileURLToPath } from 'node:url'
import { AppError } from '../lib/app-error.ts'

const packageRoot = fileURLToPath(new URL('../../', import.meta.url))
const frame = /^ {4}at (?:(async )?([\w.<>$# [\]]{1,200}) \()?(?:file:\/\/)?([^()\s]+):(\d+):(\d+)\)?$/
const plainWord = /^[A-Za-z_$][\w$]{0,79}$/
const plainPath = /^[\w@./-]{1,300}$/
const maxCauses = 3

/** An error's name and code where they are plain words: of a foreign error its message is never told. */
function label(error: unknown): string {
  if (!(error instanceof Error)) return 'an error that is not one'
  const name = plainWord.test(error.name) ? error.name : 'Error'
  const code =
    'code' in error && typeof error.code === 'string' && plainWord.test(error.code) ? error.code : null
  return code ? `${name} ${code}` : name
}

/** One sentence that is safe to send: our own errors have fixed texts, others give their name and code only. */
export function safeMessage(error: unknown): string {
  return error instanceof AppError ? `${error.code}: ${error.message}` : label(error)
}

/** Where the error came from and what caused it: frames of this package and of Node, without the messages. */
export function safeStack(error: unknown): string {
  const lines: string[] = []
  let current: unknown = error
  for (let depth = 0; current instanceof Error && depth <= maxCauses; depth += 1) {
    lines.push(depth === 0 ? safeMessage(current) : `caused by ${safeMessage(current)}`, ...frames(current))
    current = current.cause
  }
  return lines.join('\n')
}

/** The message, which stands above the frames, may itself hold lines that look like frames. */
function frames({ stack = '', message }: Error): string[] {
  const end = message === '' ? -1 : stack.indexOf(message)
  const traced = end === -1 ? stack : stack.slice(end + message.length)
  return traced.split('\n').flatMap((line) => safeFrame(line) ?? [])
}

function safeFrame(line: string): string | null {
  const [, isAsync = '', name = '<anonymous>', path = '', row = '', column = ''] = frame.exec(line) ?? []
  const shown = shownPath(path)
  return shown === null ? null : `    at ${isAsync}${name} (${shown}:${row}:${column})`
}

/** Relative to the package; null for what is neither ours nor Node's. */
function shownPath(path: string): string | null {
  const relative = path.startsWith(packageRoot) ? path.slice(packageRoot.length) : path
  const known = path.startsWith('node:') ? path.slice('node:'.length) : relative
  if (relative === path && !path.startsWith('node:')) return null
  return plainPath.test(known) ? path.replace(packageRoot, '') : null
}
