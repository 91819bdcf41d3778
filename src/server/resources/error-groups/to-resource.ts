import type { ErrorGroup, TestSessionErrorGroup } from '../../../contract/resources/error-group.ts'
import { dateText, dateTimeText } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'

type ErrorGroupRow = Schema['errorGroups']

function shared(row: ErrorGroupRow) {
  const { id, errorHash, rawErrorMessage, cleanedErrorMessage } = row
  return {
    id,
    errorHash,
    rawErrorMessage,
    cleanedErrorMessage,
    archivedUntilNextEvent: row.archivedUntilNextEvent === 1 || row.archivedForEver === 1,
    rootCauseAnalyses: [],
  }
}

export function toErrorGroup(row: ErrorGroupRow): ErrorGroup {
  return {
    ...shared(row),
    checkId: row.checkId ?? '',
    firstSeen: dateText(row.firstSeen),
    lastSeen: dateText(row.lastSeen),
  }
}

export function toTestErrorGroup(row: ErrorGroupRow): TestSessionErrorGroup {
  return {
    ...shared(row),
    projectId: null,
    // Written by storage/error-groups and by nothing else.
    environments: JSON.parse(row.environments) as string[],
    firstSeen: dateTimeText(row.firstSeen),
    lastSeen: dateTimeText(row.lastSeen),
    pwtMetadata: null,
  }
}
