import { Fatal } from '../core/errors.ts'
import type { Batch } from './apply.ts'
import type { Committed } from './sequencer.ts'

/**
 * Commits a batch. When something in it cannot be taken in, its halves are committed instead, down
 * to the one observation at fault, which is committed as `poison`: remembered, and stopping nobody.
 */
export async function commitInHalves(
  batch: Batch,
  commit: (batch: Batch) => Promise<Committed>,
): Promise<Committed> {
  try {
    return await commit(batch)
  } catch (error) {
    const { observations } = batch
    if (observations.length === 0 || !isPoison(error)) throw error
    if (observations.length === 1) return commit(setAside(batch, error))
    const middle = observations.length >> 1
    const half = { ...batch, observations: observations.slice(0, middle) }
    const rest = { ...batch, observations: observations.slice(middle), submissions: [] }
    const first = await commitInHalves(half, commit)
    const second = await commitInHalves(rest, commit)
    return { ...second, events: first.events + second.events, answers: first.answers }
  }
}

function setAside(batch: Batch, { message }: Error): Batch {
  const poison = batch.observations.map(seen => ({ seen, reason: message.slice(0, 500) }))
  return { ...batch, observations: [], poison }
}

/** Whether what was committed is at fault, rather than the disk, the memory or another writer. */
function isPoison(error: unknown): error is Error {
  return (
    error instanceof Error &&
    !(error instanceof Fatal) &&
    !('errno' in error) &&
    !/^(IO|Out of Memory|INTERNAL|FATAL|Connection|TransactionContext) Error/i.test(error.message)
  )
}
