import { AppError } from '../../lib/app-error.ts'
import type { OutboxFault, SetAsideFile } from './messages.ts'

const sqliteBusy = 5
/** What an operator is told of a file that was in the way. */
export const setAsideTexts: Readonly<Record<SetAsideFile['reason'], string>> = {
  corrupt: 'the outbox could not be read: it was renamed and another begun',
  newer:
    'the outbox is of a later version: it was renamed and another begun. To send what is in it, start that version on it',
  'other-key':
    'the outbox was sealed with another key: it was renamed and another begun. To send what is in it, start an agent on it with that PICKET_OUTBOX_KEY or outbox.key',
}

/** Why there is no outbox. */
export function openingError(fault: OutboxFault): AppError {
  const details = { fatal: true, cause: new Error(fault.message) }
  return fault.sqliteCode === sqliteBusy
    ? new AppError(
        'OUTBOX_IN_USE',
        'Another agent is using this PICKET_DATA_DIR: give each agent a folder of its own',
        details,
      )
    : new AppError('OUTBOX_UNUSABLE', 'The outbox in PICKET_DATA_DIR cannot be opened', details)
}
