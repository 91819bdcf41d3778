import type { TriedAddress } from '../../contract/connection.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'

/** A secret may be an address, or a part of one. */
export const tellAddresses = (addresses: readonly TriedAddress[], redact: Redactor): TriedAddress[] =>
  addresses.map((tried) => ({ ...tried, address: redact(tried.address) }))
