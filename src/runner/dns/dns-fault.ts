import type { FailureClass } from '../../contract/failure.ts'

/** What a name server does wrong, apart from what the system says of it. The message is a sentence for a person. */
export class DnsFault extends Error {
  readonly failureClass: FailureClass
  readonly code: string | null

  constructor(failureClass: FailureClass, code: string | null, message: string) {
    super(message)
    this.name = 'DnsFault'
    this.failureClass = failureClass
    this.code = code
  }
}

/** An answer that cannot be one; `why` is read after "The answer of the name server cannot be read: ". */
export function badAnswer(why: string): DnsFault {
  return new DnsFault('dns-failed', 'EBADRESP', `The answer of the name server cannot be read: ${why}`)
}

/** The connection ended before its time. */
export function endedEarly(bytes: number): DnsFault {
  return bytes === 0
    ? new DnsFault('closed', null, 'The name server closed the connection without an answer')
    : new DnsFault('truncated', null, 'The answer of the name server ended before it was complete')
}
