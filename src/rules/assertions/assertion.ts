import type { CheckDefinition } from '../../contract/run.ts'

/** An assertion of a check of any type. */
export type Assertion = Readonly<CheckDefinition['request']['assertions'][number]>

/**
 * How a source is read (semantics §1): as it is; the value of a header; a text, of which a regular expression in
 * `property` selects a part; JSON, of which a JSONPath in `property` does.
 */
type SourceKind = 'value' | 'header' | 'text' | 'json'

const sourceKinds: { readonly [S in Assertion['source']]: SourceKind } = {
  STATUS_CODE: 'value',
  RESPONSE_TIME: 'value',
  HEADERS: 'header',
  TEXT_BODY: 'text',
  JSON_BODY: 'json',
  RESPONSE_DATA: 'text',
  RESPONSE_CODE: 'value',
  TEXT_ANSWER: 'text',
  JSON_ANSWER: 'json',
  LATENCY: 'value',
  JSON_RESPONSE: 'json',
}

export const kindOf = ({ source }: Pick<Assertion, 'source'>): SourceKind => sourceKinds[source]

/** Without a path it is the whole document. */
export const pathOf = ({ property }: Pick<Assertion, 'property'>) => property.trim() || '$'
