import { existsSync } from 'node:fs'
import type { Config } from '../../pipeline/core/config.ts'
import { Fatal } from '../../pipeline/core/errors.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { buildLeastId } from '../../pipeline/core/uuid-v7.ts'
import { putPreparedInPlace } from '../../pipeline/maintenance/prepared-restore.ts'
import { restore } from '../../pipeline/maintenance/restore.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import type { BackupStore } from '../../pipeline/replica/backup-store.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { continueTree } from '../../pipeline/transparency/continue-tree.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { Redis } from '../redis.ts'
import { findLastAnswered, readAnswered } from './answer-log.ts'
import { readLogParts } from './head-log.ts'
import { keepBackup, nameReady, type Succession } from './standby.ts'
import type { WriterState } from './writer-state.ts'

/** Commits that a writer may have made since it last said where it is. */
const COMMITS_UNHEARD = 100_000

interface SuccessionDeps {
  config: Config
  paths: Paths
  redis: Redis
  store: BackupStore
  log: Log
}

/**
 * Puts the stores of the writer that is gone in place, as of its backup, with the log of events up to the head
 * that was signed last. Commits and events are numbered beyond what others may have seen.
 */
export async function restoreStores(
  { config, paths, redis, store }: SuccessionDeps,
  { backup, state }: Succession,
): Promise<void> {
  const dir = await keepBackup(paths, store, backup.name)
  const lastSeq = Math.max(backup.seq, state.seq, await findLastAnswered(redis))
  const lastEventId = findLastEventId(state, config.LIMITS.leaseMs)
  const continueAfter = { seq: lastSeq + COMMITS_UNHEARD, lastEventId }
  const prepared = { backup: dir, folder: nameReady(dir) }
  if (existsSync(prepared.folder))
    await putPreparedInPlace(config.DATA_DIR, prepared, continueAfter)
  else await restore(config.DATA_DIR, dir, { force: true, continueAfter })
  if (state.head !== undefined) await continueTree(paths, readLogParts(redis, store), state.head)
}

/**
 * Finds an id that is beyond every event of the writer that is gone, whatever the clock of this host says: that
 * writer stopped within two leases after it was last heard of.
 */
function findLastEventId({ lastEventId, at }: WriterState, leaseMs: number): string {
  const latest = buildLeastId(at + 2 * leaseMs)
  return lastEventId !== undefined && lastEventId > latest ? lastEventId : latest
}

/**
 * Throws where a folder that wrote last has lost what it answered: it was restored by hand, or is an old copy.
 */
export async function assertNewest(seq: number, state: WriterState, redis: Redis): Promise<void> {
  const last = Math.max(state.seq, await findLastAnswered(redis))
  if (seq >= last) return
  throw new Fatal(
    `these stores are at commit ${seq}, and ${last} was answered here. Move record/ and tenure.json out of DATA_DIR, and ` +
      'the next start gets the newest backup and what was answered since. To go back on purpose, use `registry restore`',
  )
}

/** Repeats what was answered since the backup, in its order and with the same answers. */
export async function repeatAnswered(
  sequencer: Sequencer,
  { redis, log }: Pick<SuccessionDeps, 'redis' | 'log'>,
  { backup }: Succession,
): Promise<void> {
  let repeated = 0
  for await (const { submissions, recorded } of readAnswered(redis, backup.seq)) {
    const batch = { observations: [], submissions, recorded, actor: 'api:submission' }
    const { answers } = await sequencer.commit(batch)
    repeated += submissions.length
    for (const [id, before] of recorded.answers) {
      if (!isSame(before, answers.get(id)))
        log.error({ submission: id }, 'repeated with another answer')
    }
  }
  log.warn({ repeated, seq: sequencer.seq }, 'taken over')
}

/** Compares answers by what they promised: that it was done, and as which revision. */
function isSame(before: Answer, after: Answer | undefined): boolean {
  if (after === undefined || 'done' in before !== 'done' in after) return false
  if (!('done' in before && 'done' in after)) return true
  return before.done.revision_number === after.done.revision_number
}
