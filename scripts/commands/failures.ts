import { systemClock } from '../../pipeline/core/clock.ts'
import { countThings } from '../../pipeline/core/counts.ts'
import { type Outcome, outcomes } from '../../pipeline/core/outcomes.ts'
import {
  type FailureGroup,
  type FailureGrouping,
  type FailureReport,
  reportFailures,
} from '../../pipeline/maintenance/inspect/crawl-failures.ts'
import { readSettings } from './environment.ts'
import { askOrOpen } from './running.ts'
import { formatAgo } from './text.ts'

interface FailureOptions {
  by: FailureGrouping
  limit: number
  json?: boolean
}

/** Prints the files whose last attempt failed, by reason or by host. */
export async function printFailures({ by, limit, json }: FailureOptions): Promise<void> {
  const report = await askOrOpen<FailureReport>(
    readSettings(),
    { ask: 'failures', by, limit },
    ({ index }) => reportFailures(index, by, limit),
  )
  const more = report.groups.reduce((left, { files }) => left - files, report.files)
  const lines = [
    `${countThings(report.files, 'file')} could not be read on the last attempt.`,
    ...report.groups.flatMap(group => describeGroup(group, systemClock.now())),
    ...(more > 0 ? [`${String(more).padStart(8)}  more. Show them with a higher --limit.`] : []),
  ]
  process.stdout.write(`${json ? JSON.stringify(report) : lines.join('\n')}\n`)
}

function describeGroup({ group, files, latest_at, first }: FailureGroup, now: number): string[] {
  const [name = '', kind] = group.split(/\s+/)
  const outcome = outcomes[name as Outcome] as { means: string } | undefined
  const latest = `latest ${formatAgo(latest_at, now)}`
  const text =
    outcome === undefined
      ? `${group} (${latest})`
      : `${kind}: ${outcome.means} (${name}, ${latest})`
  return [`${String(files).padStart(8)}  ${text}`, `          ${first.join(', ')}`]
}
