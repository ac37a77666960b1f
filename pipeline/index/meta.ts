import { type Instant, isoOf } from '../core/clock.ts'
import { Fatal } from '../core/errors.ts'
import type { Database } from './duckdb.ts'
import { INDEX_FORMAT } from './tables.ts'

/** The one row of `meta`: how far the index is, and who may write it. */
export interface Meta {
  format: number
  fence: number
  seq: number
  last_event_id: string | null
}

/** Takes the next fencing number: whoever held an older one can commit no more. */
export async function raiseFence(index: Database): Promise<Meta> {
  return index.transaction(async () => {
    await index.run(
      'insert into meta select $format, 0, 0, null, null where not exists (from meta)',
      { format: INDEX_FORMAT },
    )
    await index.run('update meta set fence = fence + 1')
    const meta = await index.one<Meta>('select format, fence, seq, last_event_id from meta')
    if (meta?.format !== INDEX_FORMAT) {
      throw new Fatal(`index.duckdb has format ${meta?.format}; this version reads ${INDEX_FORMAT}`)
    }
    return meta
  })
}

/** Numbers a commit inside its transaction. Fails when another writer has raised the fence. */
export async function numberCommit(
  index: Database,
  fence: number,
  commit: { seq: number; now: Instant; lastEventId: string | undefined },
): Promise<void> {
  const { seq, lastEventId } = commit
  const isLast = lastEventId === undefined ? '' : ', last_event_id = $last::varchar::uuid'
  const numbered = await index.run(
    `update meta set seq = $seq, committed_at = $now::varchar::timestamptz${isLast}
     where fence = $fence and seq = $before`,
    {
      ...{ seq, before: seq - 1, now: isoOf(commit.now), fence },
      ...(lastEventId !== undefined && { last: lastEventId }),
    },
    'kept',
  )
  if (numbered !== 1) throw new Fatal('another writer has taken over the index')
}
