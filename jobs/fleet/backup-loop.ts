import { type Clock, HOUR, type Instant, SECOND, toIso } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import type { BackupStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import type { BackupStore } from '../../pipeline/replica/backup-store.ts'
import { removeBackup } from '../../pipeline/writer/copy-stores.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { getMessage } from '../api-client/writer-client.ts'
import { type Loop, repeatEvery } from '../indexer/loops.ts'
import type { AnswerLog } from './answer-log.ts'
import { nameBackup, readLogSize, removeOldBackups, storeBackup } from './backups.ts'
import { removeOldLogParts } from './head-log.ts'

const LOOK_EVERY_MS = SECOND / 2
/** Longest pause after attempts that failed. */
const PAUSE_MAX_MS = 30 * SECOND
/** A backup that takes longer hangs. */
const BACKUP_MAX_MS = HOUR
/** Backups kept beside the newest one. */
const OLDER_BACKUPS = 1

/** Makes backups until it is stopped. */
export interface BackupLoop extends Loop {
  /** Has a backup made at once; `clearing` deletes all others then, since they have what was taken down. */
  request(clearing?: boolean): void
  report(): BackupStatus
}

interface BackupLoopDeps {
  config: Config
  store: BackupStore
  sequencer: Sequencer
  answers: AnswerLog
  fence: number
  clock: Clock
  log: Log
  /** Ends what is under way. */
  signal: AbortSignal
  /** True where stores were restored: if that was a mistake, the backup before them is needed. */
  keepsOlder?: boolean
}

/**
 * Backs up at intervals, and sooner where much was answered since the last time. A failure is logged and
 * repeated; commits and answers go on meanwhile.
 */
export function startBackups(deps: BackupLoopDeps): BackupLoop {
  const { config, answers, sequencer, clock, log, signal } = deps
  const { commitsSinceBackup, answerBytesSinceBackup } = config.LIMITS
  let isRequested = true
  // A process that ended may not have cleared what it took down.
  let isClearing = !deps.keepsOlder
  let failures = 0
  let problem: string | undefined
  let lastAt: Instant = clock.now()
  let hasBackup = false
  let lastSeq = -1
  const isDue = () => {
    const { commits, bytes } = answers.size
    const isMuch = commits >= commitsSinceBackup || bytes >= answerBytesSinceBackup
    const isTime = clock.now() - lastAt >= config.BACKUP_EVERY * SECOND
    return isRequested || isMuch || (isTime && sequencer.seq !== lastSeq)
  }
  const loop = repeatEvery(
    () => Math.min(LOOK_EVERY_MS * 2 ** Math.min(failures, 10), PAUSE_MAX_MS),
    log,
    async () => {
      if (!isDue()) return
      const began = clock.now()
      const wasClearing = isClearing
      isRequested = false
      isClearing = false
      try {
        lastSeq = await backUp(deps, wasClearing ? 0 : OLDER_BACKUPS)
        lastAt = began
        hasBackup = true
        failures = 0
        problem = undefined
      } catch (error) {
        isRequested = true
        isClearing ||= wasClearing
        failures++
        problem = getMessage(error)
        if (!signal.aborted) log.error({ to: config.BACKUP_TO, error: problem }, 'not backed up')
      }
    },
  )
  return {
    ...loop,
    request(clearing = false) {
      isRequested = true
      isClearing ||= clearing
    },
    report() {
      const behindMs = sequencer.seq === lastSeq ? 0 : Math.max(0, clock.now() - lastAt)
      const lateMs = 2 * config.BACKUP_EVERY * SECOND
      return {
        bucket: requireValue(config.BACKUP_TO, 'BACKUP_TO'),
        made_at: hasBackup ? toIso(lastAt) : null,
        behind_ms: behindMs,
        is_overdue:
          problem === undefined
            ? behindMs > Math.max(lateMs, BACKUP_MAX_MS)
            : !hasBackup || behindMs > lateMs,
        ...(problem !== undefined && { problem }),
      }
    },
  }
}

/** Makes a backup, and drops what it makes unnecessary; returns its commit. */
async function backUp(
  { store, sequencer, answers, fence, clock, log }: BackupLoopDeps,
  olderKept: number,
): Promise<number> {
  const dir = sequencer.paths.backingUp
  removeBackup(dir)
  try {
    answers.beginBackup()
    const { seq } = await sequencer.backUp(dir)
    const name = nameBackup(fence, seq, clock.now())
    const logSize = readLogSize(dir)
    await storeBackup(store, dir, name)
    await answers.trim({ name, seq, logSize })
    log.info({ backup: name }, 'backed up')
    await removeOldLogParts(store, logSize)
    await removeOldBackups(store, name, olderKept)
    return seq
  } finally {
    removeBackup(dir)
  }
}
