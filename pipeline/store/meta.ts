import { type Instant, toIso } from '../core/clock.ts'
import { Fatal } from '../core/errors.ts'
import type { Database } from './database.ts'

/** The one row of `meta`: the last commit of the index, and the writer that may continue it. */
export interface Meta {
  format: number
  fence: number
  seq: number
  last_event_id: string | null
}

/** Raises the fencing number; writers with an older one can no longer commit. */
export async function raiseFence(index: Database): Promise<Meta> {
  return index.transaction(async () => {
    await index.write('update', 'meta', 'set fence = fence + 1')
    return index.oneOrThrow<Meta>('select format, fence, seq, last_event_id from meta')
  })
}

/** Numbers a commit inside its transaction. Fails when another writer has raised the fence. */
export async function numberCommit(
  index: Database,
  fence: number,
  commit: { seq: number; now: Instant; lastEventId: string | undefined },
): Promise<void> {
  const { seq, lastEventId } = commit
  const lastEventAssignment = lastEventId === undefined ? '' : ', last_event_id = $last'
  const numbered = await index.write(
    'update',
    'meta',
    `set seq = $seq, committed_at = ms($now)${lastEventAssignment}
     where fence = $fence and seq = $before`,
    {
      seq,
      before: seq - 1,
      now: toIso(commit.now),
      fence,
      ...(lastEventId !== undefined && { last: lastEventId }),
    },
  )
  if (numbered !== 1) throw new Fatal('another writer has taken over the index')
}
