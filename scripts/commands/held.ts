import type { Config } from '../../pipeline/core/config.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { type HeldRow, loadHeldRows } from '../../pipeline/writer/crawl/held-publishers.ts'
import { readSettings } from './environment.ts'
import { askOrOpen, performOrExit, unwrapOrExit } from './running.ts'

const DOMAINS_A_SUBMISSION = 20_000

/** Prints whose removals are held back, and what each would lose. */
export async function listHeld({ json }: { json?: boolean }): Promise<void> {
  const rows = await listHeldIn(readSettings())
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`)
  else for (const row of rows) process.stdout.write(`${formatLine(row)}\n`)
  if (!json && rows.length === 0) process.stdout.write('No removals are held back.\n')
}

function formatLine({ subject, reason, grants, properties, since }: HeldRow): string {
  return `${subject.padEnd(32)} ${reason.padEnd(8)} ${countThings(grants, 'grant')}, ${countThings(properties, 'property', 'properties')}, since ${since}`
}

/** The publishers whose changes are released or dropped: some by name, or all that are held. */
export interface Selection {
  domains: string[]
  all?: boolean
}

export function releaseHeld(chosen: Selection): Promise<void> {
  return decideHeld(chosen, 'held.release', 'Applied')
}

export function dropHeld(chosen: Selection): Promise<void> {
  return decideHeld(chosen, 'held.drop', 'Discarded')
}

async function decideHeld(
  { domains, all }: Selection,
  op: 'held.release' | 'held.drop',
  done: string,
): Promise<void> {
  const config = readSettings()
  if (all && domains.length > 0) unwrapOrExit({ refused: 'Give domains or --all, but not both' })
  const held = (await listHeldIn(config)).map(({ subject }) => subject)
  const chosen = all ? held : held.filter(subject => domains.includes(subject))
  const unknown = domains.filter(domain => !held.includes(domain as Domain))
  if (!all && (domains.length === 0 || unknown.length > 0)) {
    const reason =
      domains.length === 0
        ? 'Give the domains, or --all'
        : `No removals are held back for ${unknown.join(', ')}`
    unwrapOrExit({ refused: reason })
  }
  for (let start = 0; start < chosen.length; start += DOMAINS_A_SUBMISSION) {
    const batch = chosen.slice(start, start + DOMAINS_A_SUBMISSION)
    await performOrExit(config, { op, domains: batch })
  }
  process.stdout.write(`${done} the removals of ${countThings(chosen.length, 'publisher')}.\n`)
}

function listHeldIn(config: Config): Promise<HeldRow[]> {
  return askOrOpen(config, { ask: 'held' }, ({ index }) => loadHeldRows(index))
}
