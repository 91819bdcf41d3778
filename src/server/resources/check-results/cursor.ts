import { inputInvalid } from '../../api-error.ts'

/** The last row of a page, which the next page begins behind. */
export interface Cursor {
  readonly startedAt: number
  readonly id: string
}

export function encodeCursor({ startedAt, id }: Cursor): string {
  return Buffer.from(`${startedAt} ${id}`).toString('base64url')
}

/** @throws ApiError 400 when it is not one of ours */
export function decodeCursor(text: string): Cursor {
  const match = /^(\d{1,16}) ([0-9a-f-]{36})$/.exec(Buffer.from(text, 'base64url').toString())
  const [, startedAt, id] = match ?? []
  if (startedAt === undefined || id === undefined) {
    throw inputInvalid(
      [{ path: 'nextId', text: '"nextId" must be the nextId of an earlier answer' }],
      'query',
    )
  }
  return { startedAt: Number(startedAt), id }
}
