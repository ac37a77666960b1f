import { getLast } from '../core/present.ts'
import type { Database } from '../store/database.ts'
import type { Batch } from './apply-context.ts'
import { findUnrecorded } from './community/shown-properties.ts'
import type { TakedownList } from './takedown/takedown-list.ts'

const nothing = { observations: [], submissions: [], actor: 'pipeline:tick' } as const

/**
 * Finds what a start must commit before anything else, batch by batch: each is committed before the next is
 * read. A restored record may have domains that were taken down.
 */
export async function* findUncommitted({
  index,
  takedowns: { uncleared: takedowns },
}: {
  index: Database
  takedowns: TakedownList
}): AsyncGenerator<Batch> {
  if (takedowns.length > 0) yield { ...nothing, takedowns }
  for (let after = ''; ; ) {
    const unrecorded = await findUnrecorded(index, after)
    if (unrecorded.length === 0) return
    yield { ...nothing, unrecorded }
    after = getLast(unrecorded)
  }
}
