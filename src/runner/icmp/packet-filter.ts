import type { Family } from '../dial/hosts-file.ts'

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const takeAll = 0xffff_ffff
/** A raw socket of IPv4 is given the IP header, whose length the first instruction reads; one of IPv6 is not. */
const loads: Readonly<
  Record<Family, { readonly start: readonly Instruction[]; readonly byte: number; readonly half: number }>
> = {
  4: { start: [[0xb1, 0, 0, 0]], byte: 0x50, half: 0x48 },
  6: { start: [], byte: 0x30, half: 0x28 },
}

/**
 * A filter in the kernel's own language (BPF) that lets through messages of this type and identifier only: a raw socket
 * is given those of all programs otherwise. `header` is a `sock_fprog`, whose pointer to the program is still to be set.
 */
export function idFilter(
  family: Family,
  type: number,
  id: number,
): { readonly program: Buffer; readonly header: Buffer } {
  const { start, byte, half } = loads[family]
  const instructions: readonly Instruction[] = [
    ...start,
    [byte, 0, 0, 0],
    [0x15, 0, 3, type],
    [half, 0, 0, 4],
    [0x15, 0, 1, id],
    [0x06, 0, 0, takeAll],
    [0x06, 0, 0, 0],
  ]
  const header = Buffer.alloc(16)
  header.writeUInt16LE(instructions.length, 0)
  return { program: Buffer.concat(instructions.map(encode)), header }
}

function encode([code, ifTrue, ifFalse, operand]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(operand, 4)
  return bytes
}
