import { DAY, type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { getEffect, outcomes } from '../../../pipeline/core/outcomes.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import {
  describeOffline,
  type HealthChange,
  type LastProbe,
} from '../../../pipeline/read/lookups/agent-profiles.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { formatMoment, renderMoment, toContractions } from '../html/text.tsx'
import { renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { toAgentPath } from './paths.ts'

const DAYS_SHOWN = 30
const CHANGES_SHOWN_MAX = 10
const STRIP = { width: 640, height: 28 }

/** Time in which all probes of an agent ended alike. */
interface Period {
  start: Instant
  end: Instant
  isOnline: boolean
}

/** Share of the last days in which an agent answered, and when they begin; undefined before the first check. */
export interface Uptime {
  text: string
  since: string
}

export function findUptime(changes: readonly HealthChange[], now: Instant): Uptime | undefined {
  const periods = listPeriods(changes, now - DAYS_SHOWN * DAY, now)
  const first = periods.at(-1)
  return first && { text: formatUptime(periods), since: toIso(first.start) }
}

/** Renders how an agent has answered over the last days, as far as that is known. */
export function renderHealthHistory(changes: readonly HealthChange[], now: Instant): Html | null {
  const [latest] = changes
  if (latest === undefined) return null
  const periods = listPeriods(changes, now - DAYS_SHOWN * DAY, now)
  const isLong = now - Date.parse(latest.since) >= DAY || changes.length > 1
  return isLong && periods.length > 0 ? renderStrip(periods, now) : null
}

/** Renders when the health of an agent changed; null where it never did. */
export function renderHealthChanges(changes: readonly HealthChange[]): Html | null {
  if (changes.length < 2) return null
  return renderTable({
    caption: 'Health changes',
    columns: ['Since', 'Result'],
    items: changes,
    limit: CHANGES_SHOWN_MAX,
    bytes: 4_000,
    empty: '',
    render: change => [renderMoment(change.since), renderResult(change)],
  })
}

function isOnline({ outcome }: HealthChange): boolean {
  return getEffect(outcome) === 'success'
}

function renderResult(change: HealthChange): Html {
  if (isOnline(change)) return renderBadge('good', 'responds')
  return (
    <>
      {renderBadge('bad', 'no response')} {toContractions(outcomes[change.outcome].means)}
    </>
  )
}

/** Lists the periods between changes that reach into a span of time, the latest first. */
export function listPeriods(
  changes: readonly HealthChange[],
  from: Instant,
  to: Instant,
): Period[] {
  const periods = changes.map((change, n) => ({
    start: Math.max(from, Date.parse(change.since)),
    end: n === 0 ? to : Date.parse(getAt(changes, n - 1).since),
    isOnline: isOnline(change),
  }))
  return periods.filter(({ start, end }) => end > start)
}

/** Formats the share of time in which an agent answered: almost all is never rounded to all, nor a little to nothing. */
export function formatUptime(periods: readonly Period[]): string {
  const sum = (some: readonly Period[]) => some.reduce((ms, { start, end }) => ms + end - start, 0)
  const all = sum(periods)
  const online = sum(periods.filter(period => period.isOnline))
  if (online === all) return '100%'
  if (online === 0) return '0%'
  const percent = Math.min(99.9, Math.max(0.1, (online / all) * 100))
  return `${percent.toFixed(1)}%`
}

function renderStrip(periods: readonly Period[], now: Instant): Html {
  const scale = STRIP.width / (DAYS_SHOWN * DAY)
  const toX = (at: Instant) => Math.round((STRIP.width - (now - at) * scale) * 10) / 10
  const first = Math.min(...periods.map(({ start }) => start))
  return (
    <figure class="uptime">
      <svg
        class="strip"
        viewBox={`0 0 ${STRIP.width} ${STRIP.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`When the agent responded in the last ${DAYS_SHOWN} days: ${formatUptime(periods)} of the time since ${formatMoment(toIso(first))}`}
      >
        <rect class="none" x="0" y="0" width={STRIP.width} height={STRIP.height} />
        {periods.map(({ start, end, isOnline: isGood }) => (
          <rect
            class={isGood ? 'good' : 'bad'}
            x={toX(start)}
            y="0"
            width={Math.max(1, Math.round((toX(end) - toX(start)) * 10) / 10)}
            height={STRIP.height}
          />
        ))}
      </svg>
      <figcaption>
        <span>{DAYS_SHOWN} days ago</span> <span>now</span>
      </figcaption>
    </figure>
  )
}

/** Renders in a line whether an agent answers, with the way to its page; nothing before it was checked. */
export function renderHealthLine(url: string, probed: LastProbe): Html | null {
  if (probed.outcome === undefined) return null
  const reason = describeOffline(probed)
  return (
    <>
      <a href={toAgentPath(url)}>{reason === undefined ? 'Online' : 'Offline'}</a>
      {reason === undefined ? null : `: ${reason}`}, checked {renderMoment(probed.checked_at)}
    </>
  )
}
