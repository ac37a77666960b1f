import { findLastAnswered } from '../../jobs/fleet/answer-log.ts'
import { findNewestBackup } from '../../jobs/fleet/backups.ts'
import { loadWriterState } from '../../jobs/fleet/writer-state.ts'
import { assertRedisAnswers, connectRedis } from '../../jobs/redis.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { openBackupStore } from '../../pipeline/replica/backup-store.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import { describeTakeover } from '../../pipeline/store/record-file.ts'
import type { Manifest } from '../../pipeline/writer/copy-stores.ts'

/** Time that Redis and the bucket have to answer. */
const ANSWER_MS = 2_000

/**
 * Says which writes the start after a restore discards, and how they are kept; empty for a folder that has not run with
 * BACKUP_TO. The Redis that `start` runs cannot be asked: it is stopped.
 */
export async function describeLaterWrites(config: Config, { seq }: Manifest): Promise<string> {
  const takeover = describeTakeover(resolvePaths(config.DATA_DIR))
  if (takeover === undefined) return ''
  const places = await Promise.all([
    findInBackups(config).catch(() => 0),
    findInRedis(config).catch(() => 0),
  ])
  const last = Math.max(...places)
  const which =
    last > seq
      ? `commits ${seq + 1} to ${last}, which BACKUP_TO or Redis has`
      : 'any writes after this backup that Redis still has'
  return `The start after this restore discards ${which}. To keep them, do this before that start: ${takeover}.\n`
}

/** Finds the commit of the newest backup. */
async function findInBackups({ BACKUP_TO }: Config): Promise<number> {
  if (BACKUP_TO === undefined) return 0
  const store = openBackupStore(BACKUP_TO, AbortSignal.timeout(ANSWER_MS))
  return (await findNewestBackup(store))?.seq ?? 0
}

/** Finds the last commit that the Redis of the settings knows of. */
async function findInRedis({ REDIS_URL }: Config): Promise<number> {
  if (REDIS_URL === undefined) return 0
  await assertRedisAnswers(REDIS_URL, ANSWER_MS)
  const redis = connectRedis(REDIS_URL, 'failFast', silentLog)
  try {
    return Math.max((await loadWriterState(redis)).seq, await findLastAnswered(redis))
  } finally {
    redis.disconnect()
  }
}
