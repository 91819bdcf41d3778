import { ApiCheck } from '../../src/contract/checks/api/check.ts'
import {
  type CheckGroup,
  CheckGroupBody,
  CheckGroupBodyV1,
} from '../../src/contract/resources/check-group.ts'
import { validator } from '../../src/lib/validate.ts'
import { apiCheckBody } from './api-checks.ts'

const readCheck = validator(ApiCheck)
const readGroup = { 1: validator(CheckGroupBodyV1), 2: validator(CheckGroupBody) }

/** A check as it is stored: its defaults filled. */
export function checkSettings(overrides: Record<string, unknown> = {}): ApiCheck {
  const read = readCheck(apiCheckBody(overrides))
  if (read.kind === 'invalid') throw new Error(read.faults[0]?.text)
  return read.value
}

/** A group as it is stored: its defaults filled. */
export function groupSettings(version: 1 | 2, overrides: Record<string, unknown> = {}): CheckGroup {
  const read = readGroup[version]({ name: 'a group', ...overrides })
  if (read.kind === 'invalid') throw new Error(read.faults[0]?.text)
  return { ...read.value, version }
}
