import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Fatal } from '../../pipeline/core/errors.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { getFirst, requireValue } from '../../pipeline/core/present.ts'
import { prepareStores } from '../../pipeline/maintenance/prepared-restore.ts'
import type { BackupStore } from '../../pipeline/replica/backup-store.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { hasOldIndex } from '../../pipeline/store/record-file.ts'
import { getMessage } from '../api-client/writer-client.ts'
import type { Redis } from '../redis.ts'
import {
  copyBackup,
  findNewestBackup,
  isBackupName,
  type NamedBackup,
  parseBackupName,
} from './backups.ts'
import type { FleetLease } from './lease.ts'
import type { Tenure } from './tenure.ts'
import { loadWriterState, type WriterState } from './writer-state.ts'

const LOOK_EVERY_MS = 500

interface StandbyDeps {
  paths: Paths
  tenure: Tenure
  lease: FleetLease
  leaseMs: number
  redis: Redis
  store: BackupStore
  log: Log
  /** Is called before these stores are replaced, and while another host may write. */
  noteOthers(): void
}

/** The state that a writer continues which is gone. */
export interface Succession {
  backup: NamedBackup
  /** State in Redis when the lease was taken: the other can have added nothing since. */
  state: WriterState
}

/**
 * Waits until this folder may write, and has the lease. Returns what it continues where another folder wrote
 * last; undefined where its own stores are the newest.
 */
export async function waitForTurn(deps: StandbyDeps): Promise<Succession | undefined> {
  const { lease, leaseMs, log, redis, tenure, noteOthers } = deps
  const copy = new BackupCopy(deps)
  let freeSince: number | undefined
  let said = ''
  const say = (words: string) => {
    if (said !== words) log.info(words)
    said = words
  }
  for (; ; await pause(LOOK_EVERY_MS)) {
    if (tenure.isRestored && (await lease.startOver())) return undefined
    const taking = await lease.take(false)
    if (taking === 'own') return undefined
    noteOthers()
    if (taking === 'held') {
      freeSince = undefined
      say('another host writes; standing by')
      copy.update()
      continue
    }
    freeSince ??= performance.now()
    // A writer that lives takes its lease again meanwhile.
    if (performance.now() - freeSince < leaseMs && !(taking === 'unknown' && hasStores(deps)))
      continue
    if (taking === 'unknown') {
      if (await begin(deps)) return undefined
      continue
    }
    assertReplaceable(deps)
    if ((await loadWriterState(redis)).backup === undefined) {
      say('the writer is gone, and answers may be missing in Redis: no automatic takeover')
      continue
    }
    if ((await lease.take(true)) !== 'taken') continue
    await copy.settle()
    return buildSuccession(deps)
  }
}

/** Begins where Redis knows no writer. Throws where it has lost one that this folder does not continue. */
async function begin({ lease, store, tenure }: StandbyDeps): Promise<boolean> {
  const newest = await findNewestBackup(store)
  if (newest !== undefined && newest.fence > tenure.fence && !tenure.isRestored)
    throw new Fatal(
      `Redis has lost what was answered since the backup ${newest.name}, which was made with another DATA_DIR: ` +
        'start the registry there, or restore that backup here (docs/operate/incidents.md)',
    )
  return lease.begin(Math.max(tenure.fence, newest?.fence ?? 0) + 1)
}

async function buildSuccession({ redis, lease, log }: StandbyDeps): Promise<Succession> {
  const state = await loadWriterState(redis)
  // A later one may be there, of a writer that nobody believes anymore.
  const backup = parseBackupName(requireValue(state.backup, 'backup'))
  log.warn({ backup: backup.name, fence: lease.fence }, 'the writer is gone; taking over')
  return { backup, state }
}

const hasStores = ({ paths }: Pick<StandbyDeps, 'paths'>) =>
  existsSync(paths.record) || hasOldIndex(paths)

/** Throws where this folder has a registry that was never part of the fleet: a restore would delete it. */
function assertReplaceable({ paths, tenure }: StandbyDeps): void {
  if (tenure.fence === 0 && hasStores({ paths }) && !existsSync(paths.restoring))
    throw new Fatal(
      `another host wrote last, and ${paths.dir} has a registry of its own: move it away, then start again`,
    )
}

/** Copies each new backup meanwhile, and makes its stores, so that taking over needs neither. */
class BackupCopy {
  readonly #deps: StandbyDeps
  #name: string | undefined
  #copying: Promise<void> | undefined

  constructor(deps: StandbyDeps) {
    this.#deps = deps
  }

  /** Begins to copy the newest backup, unless one is being copied. */
  update(): void {
    this.#copying ??= this.#copy()
      .catch(error => this.#deps.log.warn({ error: getMessage(error) }, 'backup not copied'))
      .finally(() => {
        this.#copying = undefined
      })
  }

  /** Resolves when nothing is being copied. */
  async settle(): Promise<void> {
    await this.#copying
  }

  async #copy(): Promise<void> {
    const { paths, store, redis, log } = this.#deps
    const { backup } = await loadWriterState(redis)
    if (backup === undefined || backup === this.#name) return
    const dir = await keepBackup(paths, store, backup)
    const prepared = { backup: dir, folder: nameReady(dir) }
    if (!existsSync(prepared.folder)) await prepareStores(prepared)
    this.#name = backup
    log.info({ backup }, 'backup copied')
  }
}

/** Copies a backup to this host, unless it is there; returns its folder. */
export async function keepBackup(
  { standby }: Pick<Paths, 'standby'>,
  store: BackupStore,
  name: string,
): Promise<string> {
  const dir = `${standby}/${name}`
  if (!existsSync(dir)) {
    await copyBackup(store, name, dir)
    removeCopies(standby, name)
  }
  return dir
}

/** Names the folder of the stores that were made of the copy of a backup. */
export function nameReady(dir: string): string {
  return `${dir}.ready`
}

/** Removes the copies of backups but one, with what was made of them; what others put there stays. */
export function removeCopies(standby: string, kept?: string): void {
  if (!existsSync(standby)) return
  for (const name of readdirSync(standby))
    if (name !== kept && isBackupName(getFirst(name.split('.'))))
      rmSync(`${standby}/${name}`, { recursive: true, force: true })
  if (readdirSync(standby).length === 0) rmdirSync(standby)
}
