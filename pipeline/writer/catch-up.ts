import type { Accounts } from '../accounts/store.ts'
import { getLast } from '../core/present.ts'
import type { Database } from '../store/database.ts'
import type { Batch } from './apply-context.ts'
import { findUnknownVerdicts } from './community/agent-verdicts.ts'
import { findUnknownEnrolments } from './community/enrolments.ts'
import { findUnrecorded } from './community/shown-properties.ts'
import type { TakedownList } from './takedown/takedown-list.ts'

const nothing = { observations: [], submissions: [], actor: 'pipeline:tick' } as const

/**
 * Finds what a start must commit before anything else, batch by batch: each is committed before the next is
 * read. After a crash between the accounts and the index, the index still shows the previous state of
 * members. Usually the submission is delivered again; but an agent that was hidden must not wait for that.
 */
export async function* findUncommitted({
  index,
  accounts,
  takedowns: { uncleared: takedowns },
}: {
  index: Database
  accounts: Accounts
  takedowns: TakedownList
}): AsyncGenerator<Batch> {
  const enrolments = await findUnknownEnrolments(index, accounts.loadAllEnrolments())
  if (enrolments.length > 0 || takedowns.length > 0) yield { ...nothing, enrolments, takedowns }
  const verdicts = await findUnknownVerdicts(index, accounts.loadAllVerdicts())
  if (verdicts) yield { ...nothing, verdicts }
  for (let after = ''; ; ) {
    const unrecorded = await findUnrecorded(index, after)
    if (unrecorded.length === 0) return
    yield { ...nothing, unrecorded }
    after = getLast(unrecorded)
  }
}
