import { findTakedownTime, listTakedowns } from '../../pipeline/accounts/taken-down.ts'
import { formatTime } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { type Domain, parsePastedDomain } from '../../pipeline/core/domain.ts'
import type { BackupStatus, IndexStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import { rebuild } from '../../pipeline/maintenance/rebuild.ts'
import { readSettings } from './environment.ts'
import { findRunningRegistry, openAlone, publishAlone } from './open-registry.ts'
import { readRecord } from './reading.ts'
import { askRunning, performOrExit, unwrapOrExit } from './running.ts'
import {
  askForPreview,
  describeDeleted,
  describeReadmitted,
  describeTakedown,
  refusePublicSuffix,
} from './takedown-confirmation.ts'
import { formatTable } from './text.ts'
import { confirmOrExit } from './typed-confirmation.ts'

interface TakedownOptions {
  reason?: string
  undo?: boolean
  dryRun?: boolean
  confirm?: Domain
}

const WHICH_TAKEN = 'Give the domain to take down, or --list'
const WHICH_UNDONE =
  'Give the domain to accept again: `registry takedown --list` lists those that have been taken down'

const FREE_PAGES_REMAIN =
  'Deleted data remains in free pages of serving/ until you stop the registry and run `registry rebuild`.\n'
const BACKUPS_REMAIN = 'Backups that you made yourself still contain the deleted data: delete them.'

/** Takes a domain down or readmits it; without one, lists those that are taken down. */
export async function runTakedown(
  domain: Domain | undefined,
  { list = false, json = false, ...options }: TakedownOptions & { list?: boolean; json?: boolean },
): Promise<void> {
  if (list && domain !== undefined)
    unwrapOrExit({ refused: 'Give a domain or --list, but not both' })
  else if (list) listTakenDown(json)
  else if (domain !== undefined) await takeDown(domain, options)
  else unwrapOrExit({ refused: options.undo ? WHICH_UNDONE : WHICH_TAKEN })
}

function listTakenDown(json: boolean): void {
  const rows = readRecord(({ record }) => (record ? listTakedowns(record) : []))
  if (json) return void process.stdout.write(`${JSON.stringify(rows)}\n`)
  const lines = rows.map(({ domain, taken_down_at, by, reason }) => [
    domain,
    formatTime(taken_down_at),
    by ?? '',
    reason ?? '',
  ])
  const table = formatTable([['DOMAIN', 'SINCE', 'BY', 'REASON'], ...lines])
  process.stdout.write(rows.length === 0 ? 'No domain is taken down.\n' : `${table}\n`)
}

/** Takes a domain down once that is confirmed, or readmits it, and waits until every published copy shows that. */
async function takeDown(
  domain: Domain,
  { reason, undo, dryRun, confirm }: TakedownOptions,
): Promise<void> {
  const config = readSettings()
  if (undo) {
    await performOrExit(config, { op: 'domain.readmit', domain })
    return void process.stdout.write(describeReadmitted(domain))
  }
  refusePublicSuffix(domain)
  const preview = await askForPreview(config, domain)
  const since = readRecord(({ record }) => record && findTakedownTime(record, domain))
  process.stderr.write(describeTakedown(domain, preview, since))
  if (dryRun) return
  await confirmOrExit(domain, confirm, parsePastedDomain)
  await performOrExit(config, {
    op: 'domain.takedown',
    domain,
    ...(reason !== undefined && { reason }),
  })
  process.stderr.write(describeDeleted(preview))
  const hasDeleted = preview.rows.length > 0
  const backup = await clearCopies(config, hasDeleted)
  if (hasDeleted) process.stderr.write(`${BACKUPS_REMAIN}${describeBackups(backup)}\n`)
  process.stdout.write(describeDone(domain, { since, reason }))
}

interface Before {
  since: string | undefined
  reason: string | undefined
}

function describeDone(domain: Domain, { since, reason }: Before): string {
  if (since === undefined) return `Took down ${domain}.\n`
  return reason === undefined
    ? `${domain} stays taken down.\n`
    : `Changed the reason for taking down ${domain}.\n`
}

/** Says whether the backups of BACKUP_TO can be replaced; empty where the running registry makes none. */
function describeBackups(backup: BackupStatus | undefined): string {
  if (backup === undefined) return ''
  const { bucket, problem } = backup
  return problem === undefined
    ? ` Those in ${bucket} are replaced at once.`
    : ` Those in ${bucket} contain it until backups work again: ${problem}.`
}

/**
 * Publishes new copies and rebuilds the serving store, whose freed pages still hold deleted data; a
 * rebuild needs the registry to be stopped. Returns the state of the backups of a running one.
 */
async function clearCopies(config: Config, hasDeleted: boolean): Promise<BackupStatus | undefined> {
  const run = await findRunningRegistry(config)
  if (run) {
    await askRunning(run, { ask: 'publish' })
    if (hasDeleted) process.stderr.write(FREE_PAGES_REMAIN)
    return (await askRunning<IndexStatus>(run, { ask: 'status' })).backup
  }
  const sequencer = await openAlone(config)
  await sequencer.publish()
  await sequencer.searchable()
  await sequencer.close()
  await rebuild(config.DATA_DIR)
  await publishAlone(config)
  return undefined
}
