import { existsSync, rmSync } from 'node:fs'
import { type Clock, type Instant, toIso } from '../core/clock.ts'
import type { Config } from '../core/config.ts'
import type { Log } from '../core/log.ts'
import type { ServingStore } from '../serving/lmdb.ts'
import { exportParquet, isTooSoonToExport, toExportOptions } from '../store/columnar/parquet.ts'
import type { TreeLog } from '../transparency/tree-log.ts'
import { beginBackup, beginCopy, finishBackup, type Manifest } from './copy-stores.ts'
import { dropOldAgentHealth } from './crawl/agent-health.ts'
import { dropOldCrawlDays } from './crawl/crawl-days.ts'
import { listDerived, listFilesBelow } from './healing/heal.ts'
import type { WriterStores } from './open-stores.ts'
import { forgetPrivateRows } from './private-retention.ts'
import {
  dropOldBodies,
  dropOldEvents,
  dropOldStores,
  findRetentionTime,
  followRetention,
} from './retention.ts'

/** Parts of the writer that upkeep needs. */
export interface UpkeepParts extends WriterStores {
  serving: ServingStore
  treeLog: TreeLog
  clock: Clock
  config: Config
  log: Log
  /** Number of the last commit. */
  last: () => number
  /** Runs work while no commit runs. */
  alone: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Takes care of the stores between commits: forgets what is past its retention, exports, backs up. */
export class Upkeep {
  readonly #parts: UpkeepParts

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /**
   * Deletes what is past its retention: events beyond the feed's reach, counts of crawls, old bytes, old requests. False
   * where that has to be repeated soon, since a reader keeps deleted private rows in the log of the record.
   */
  retain(): Promise<boolean> {
    const { index, accounts, serving, treeLog, paths, seals, clock, config, alone } = this.#parts
    return alone(async () => {
      seals.unseal()
      const stores = { index, serving, accounts: accounts.db }
      const now = await findRetentionTime(stores, clock.now())
      let isGone = true
      if (now !== undefined) {
        await dropOldEvents(index, now, config.LIMITS.feedRetentionDays)
        await dropOldCrawlDays(index, now)
        await dropOldBodies(index, paths, now)
        isGone = await forgetPrivateRows(stores, now, config.LIMITS)
      }
      await dropOldAgentHealth(index)
      const oldest = await followRetention(index, serving, paths)
      if (oldest !== undefined) await treeLog.dropEntriesBefore(oldest)
      seals.sealOnly(listDerived(paths))
      if (now !== undefined) this.#dropOldStores(now)
      return isGone
    })
  }

  /** Deletes what an import kept; one that fails is tried again the next day, since nothing else may wait for it. */
  #dropOldStores(now: Instant): void {
    const { paths, config, log } = this.#parts
    try {
      dropOldStores(paths, now, config.LIMITS.requestRetentionDays)
    } catch (error) {
      log.error({ error: String(error) }, 'old stores could not be deleted')
    }
  }

  /** Writes the tables as Parquet, once a UTC day; the first time only when what is known was crawled. */
  async exportTables(): Promise<void> {
    const { paths, seals, clock, config, log } = this.#parts
    if (await isTooSoonToExport(paths)) return
    seals.beginWriting(paths.parquet)
    try {
      await exportParquet(paths, clock.now(), log, toExportOptions(config))
    } finally {
      seals.endWriting(paths.parquet, listFilesBelow(paths.parquet))
    }
  }

  /**
   * Copies the stores that nothing else can be made of to a folder, and the log, as of one commit. Later
   * commits need not wait until these are copied: the events of these are appended to the log afterwards. One that
   * fails leaves nothing, since its copy holds private rows.
   */
  async backUp(dir: string): Promise<Manifest> {
    const partial = beginBackup(dir)
    try {
      return await finishBackup(partial, dir, await this.#copyTo(partial))
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      throw error
    }
  }

  async #copyTo(partial: string): Promise<Omit<Manifest, 'format' | 'files'>> {
    const { alone, clock, last, paths, treeLog } = this.#parts
    const { copying, ...made } = await alone(async () => {
      const copying = Promise.allSettled([beginCopy(paths, partial), treeLog.copyTo(partial)])
      return { seq: last(), made_at: toIso(clock.now()), copying }
    })
    for (const copied of await copying) if (copied.status === 'rejected') throw copied.reason
    return { ...made, is_demo: existsSync(paths.demoDomains) }
  }
}
