import { rmSync, writeFileSync } from 'node:fs'
import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import type { BackupStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import type { Submission } from '../../pipeline/model/submission.ts'
import { type BackupStore, openBackupStore } from '../../pipeline/replica/backup-store.ts'
import { makeFolders, resolvePaths } from '../../pipeline/store/paths.ts'
import type { Sequencer, SequencerOptions } from '../../pipeline/writer/sequencer.ts'
import { waitAtMost } from '../api-client/wait-at-most.ts'
import type { Redis } from '../redis.ts'
import { AnswerLog, type AnswersToSend } from './answer-log.ts'
import { type BackupLoop, startBackups } from './backup-loop.ts'
import { createHeadKeeper } from './head-log.ts'
import { FleetLease } from './lease.ts'
import { removeCopies, waitForTurn } from './standby.ts'
import { assertNewest, repeatAnswered, restoreStores } from './succeed.ts'
import { createTenure, readTenure, writeTenure } from './tenure.ts'
import { loadWriterState, RecordCounter } from './writer-state.ts'

/** Time that an upload has to end when the writer stops. */
const CLOSE_MS = 5 * SECOND

interface FleetDeps {
  config: Config
  redis: Redis
  clock: Clock
  log: Log
  /** Ends the process. */
  fail: (error: unknown) => void
}

/** Part of this process in the fleet, while it writes. */
export interface Fleet {
  /** Questions of the writer before it commits, and before it signs. */
  asking: Pick<Required<SequencerOptions>, 'ensureMayWrite' | 'keepHead'>
  /** Brings the opened stores up to what was answered, and begins to back them up. */
  begin(sequencer: Sequencer): Promise<void>
  /** Records answers and sends them. */
  sendAnswers(toSend: AnswersToSend): Promise<void>
  /** Returns the state of the backups, once it has begun. */
  report(): BackupStatus
  close(): Promise<void>
}

/**
 * Waits until this host may write, with the stores that the last writer had; undefined where `BACKUP_TO` is not
 * set, and the lock on the files alone decides.
 */
export async function joinFleet(deps: FleetDeps): Promise<Fleet | undefined> {
  const { config, redis, clock, log, fail } = deps
  if (config.BACKUP_TO === undefined) {
    rmSync(resolvePaths(config.DATA_DIR).behind, { force: true })
    return undefined
  }
  const closing = new AbortController()
  const store = openBackupStore(config.BACKUP_TO, closing.signal)
  const { paths, tenure, lease, succession, state } = await takeTurn(deps, store)
  let sequencer: Sequencer | undefined
  let backups: BackupLoop | undefined
  const counter = new RecordCounter(state.mark, () => backups?.request())
  const answers = new AnswerLog(redis, lease.fence, counter)
  const readPosition = () =>
    sequencer && {
      seq: sequencer.seq,
      lastEventId: sequencer.lastEventId,
      at: clock.now(),
      mark: counter.recorded,
    }
  lease.keep(readPosition, { onLost: () => counter.noteGap(), fail })
  const noteTenure = () => writeTenure(paths, { id: tenure.id, fence: lease.fence })
  if (succession) {
    // Until it is complete these stores are nobody's, so a takeover that is interrupted begins anew.
    writeTenure(paths, createTenure(lease.fence))
    await restoreStores({ config, paths, redis, store, log }, succession)
  } else noteTenure()
  return {
    asking: {
      ensureMayWrite: () => lease.ensureHeld(),
      keepHead: createHeadKeeper({ redis, store, counter }, lease.fence),
    },
    async begin(opened) {
      sequencer = opened
      if (succession) await repeatAnswered(opened, { redis, log }, succession)
      else await assertNewest(opened.seq, state, redis)
      noteTenure()
      rmSync(paths.behind, { force: true })
      removeCopies(paths.standby)
      const { fence } = lease
      const { signal } = closing
      const keepsOlder = tenure.isRestored === true
      const loop = { config, store, sequencer, answers, fence, clock, log, signal, keepsOlder }
      backups = startBackups(loop)
    },
    async sendAnswers(toSend) {
      await answers.sendAnswers(toSend)
      if (toSend.submissions.some(isTakedown)) backups?.request(true)
    },
    report: () => requireValue(backups, 'backup').report(),
    async close() {
      lease.stop()
      backups?.stop()
      closing.abort()
      if (backups) await waitAtMost(backups.ended, CLOSE_MS)
    },
  }
}

/** Waits until this host may write; returns what it has to continue. */
async function takeTurn({ config, redis, log }: FleetDeps, store: BackupStore) {
  const paths = resolvePaths(config.DATA_DIR)
  makeFolders(paths)
  const { leaseMs } = config.LIMITS
  const tenure = readTenure(paths)
  const lease = new FleetLease(redis, tenure, leaseMs)
  const noteOthers = () => writeFileSync(paths.behind, '')
  const deps = { paths, tenure, lease, leaseMs, redis, store, log, noteOthers }
  const succession = await waitForTurn(deps)
  const state = succession?.state ?? (await loadWriterState(redis))
  return { paths, tenure, lease, succession, state }
}

const isTakedown = ({ operation }: Submission) => operation.op === 'domain.takedown'
