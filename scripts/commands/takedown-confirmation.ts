import { formatTime } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { type Domain, getRegistrableDomain, isRegistrySuffix } from '../../pipeline/core/domain.ts'
import {
  previewTakedown,
  type TakedownPreview,
} from '../../pipeline/maintenance/inspect/takedown-preview.ts'
import { askOrOpen, unwrapOrExit } from './running.ts'

/** Refuses a name below which anybody registers a domain: each of them would be deleted. */
export function refusePublicSuffix(domain: Domain): void {
  if (!isRegistrySuffix(domain)) return
  unwrapOrExit({
    refused: `${domain} is a public suffix, below which others have sites: take down each site by its name`,
  })
}

/** Counts what a takedown would delete. */
export function askForPreview(config: Config, domain: Domain): Promise<TakedownPreview> {
  return askOrOpen<TakedownPreview>(
    config,
    { ask: 'takedown_preview', domain },
    ({ index }) => previewTakedown(index, domain),
    { writes: true },
  )
}

/** Describes what a takedown would delete, in lines. */
export function describeTakedown(
  domain: Domain,
  { domains, first, rows }: TakedownPreview,
  since: string | undefined,
): string {
  if (since !== undefined) return `${domain} is already taken down, since ${formatTime(since)}.\n`
  const warning =
    getRegistrableDomain(domain) === undefined
      ? `${domain} has sites of others below it, which would be deleted too.\n`
      : ''
  if (domains === 0 && rows.length === 0)
    return `${warning}Nothing is known about ${domain}. A takedown keeps it out from now on.\n`
  const more = domains > first.length ? ` and ${domains - first.length} more` : ''
  const counts = rows.map(({ table, rows }) => `  ${rows}  ${table}\n`).join('')
  return `${warning}A takedown deletes ${first.join(', ') || domain}${more}. Rows by table:\n${counts}`
}

/** Says that a domain is taken down, by itself or with one above it, and how to accept it again. */
export function describeTakenDown(domain: string, takenDown: string): string {
  const name = domain === takenDown ? 'it' : takenDown
  return `${name} was taken down. To accept it again, run \`registry takedown ${takenDown} --undo\`.`
}

/** Says how much a takedown has deleted. */
export function describeDeleted({ rows }: TakedownPreview): string {
  if (rows.length === 0) return ''
  const total = rows.reduce((sum, table) => sum + table.rows, 0)
  return `Deleted ${countThings(total, 'row')} of ${countThings(rows.length, 'table')}.\n`
}

/** Says what follows when a domain that was taken down is accepted again. */
export function describeReadmitted(domain: string): string {
  return (
    `${domain} is accepted again. Deleted data is not restored: \`registry crawl ${domain}\` reads its files, ` +
    'and members have to save their entries again.\n'
  )
}
