import { accountView } from './account-view.ts'
import { type DescribedOperation, describedOperations } from './described-operations.ts'
import { type Ids, oneOfEverything } from './one-of-everything.ts'
import { startTestService, type TestService } from './test-service.ts'

/** What is theirs has this in its name, where it has a name of its own. */
export const theirNumber = 7_777_771

/** A service with two accounts that have one of everything each. */
interface TwoAccounts {
  readonly ours: TestService
  readonly theirs: TestService
  readonly ourIds: Ids
  readonly theirIds: Ids
  readonly all: readonly DescribedOperation[]
  /** Texts that an answer to us has only where something of theirs got into it. */
  readonly theirMarks: readonly string[]
}

/** Ids that are nobody's, and times. */
export const ofNobody: ReadonlySet<string> = new Set(['none', 'from', 'to'])

export async function startTwoAccounts(): Promise<TwoAccounts> {
  const ours = await startTestService({ publicOrigin: 'https://picket.example' })
  const theirs = accountView(ours, await ours.addAccount())
  const ourIds = await oneOfEverything(ours, 1)
  const theirIds = await oneOfEverything(theirs, theirNumber)
  const all = await describedOperations(ours.app)
  const own = Object.entries(theirIds).filter(([name, id]) => !ofNobody.has(name) && id.length >= 8)
  return {
    ours,
    theirs,
    ourIds,
    theirIds,
    all,
    theirMarks: [String(theirNumber), ...own.map(([, id]) => id)],
  }
}

/** `sent` is what the request itself said: an error may tell that again. */
export const marksIn = (marks: readonly string[], text: string, sent = ''): string[] =>
  marks.filter((mark) => text.includes(mark) && !sent.includes(mark))

export function idOf(ids: Ids, name: string): string {
  const id = ids[name]
  if (id === undefined) throw new Error(`one-of-everything has no ${name}`)
  return id
}
