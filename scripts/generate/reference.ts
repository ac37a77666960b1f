import { isDeepStrictEqual } from 'node:util'
import { findGuide } from '../../api/pages/guides.ts'
import { findMetric, type MetricName, metricTable } from '../../jobs/metrics/table.ts'
import { queues, SUBMISSIONS } from '../../jobs/queues.ts'
import { settingGroups, settings } from '../../pipeline/core/config.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { limitMeanings, limits } from '../../pipeline/core/limits.ts'
import { outcomes, resultsByEffect } from '../../pipeline/core/outcomes.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { tiers } from '../../pipeline/core/tiers.ts'
import { eventTypes } from '../../pipeline/model/event.ts'
import { statesByEffect } from '../../pipeline/model/file-state.ts'
import { renderCode, renderTable } from './markdown.ts'

/** Renders a default: a value as code, and words as they are. */
function renderDefault(shown: string): string {
  return shown === '' || /[a-z] /i.test(shown) ? shown : renderCode(shown)
}

/** Renders docs/settings.md: settings and limits with their meanings. */
export function renderSettings(): string {
  const sections = Object.entries(settingGroups).map(([title, group]) => {
    const rows = Object.entries(group).map(([name, { shown, means }]) => [
      renderCode(name),
      renderDefault(shown),
      linkGuides(means),
    ])
    return `## ${title}\n\n${renderTable(['setting', 'default', 'meaning'], rows)}`
  })
  const bounds = Object.entries(limits).map(([name, value]) => [
    renderCode(name),
    value.toLocaleString('en'),
    limitMeanings[name as keyof typeof limits],
  ])
  return renderPage(
    'Settings and limits',
    'Settings are read from the environment at start. If values are wrong, `start` lists them all in one message and exits. It also ' +
      'refuses a name that looks like a typo of a setting (`BASE_URI`), or that starts with a prefix only the registry uses ' +
      '(`BRAKE_…`, `CRAWL_…`). In names shorter than six letters it detects only transposed letters (`PROT`), since `HOSTS` and ' +
      '`PORTS` may belong to another program.',
    ...sections,
    '## Limits',
    'The setting `LIMITS` overrides single limits as JSON, for example `{"savesPerHour": 120}`. A name shows its unit: ' +
      '`Ms` is milliseconds, `Bytes` is bytes after decompression, `Days` is days. All other limits are counts.',
    renderTable(['limit', 'default', 'meaning'], bounds),
  )
}

/** Links the guides whose files a text names, by their titles. */
function linkGuides(text: string): string {
  return text.replace(/\bdocs\/((?:\w+\/)?(\w+)\.md)/g, (_, path: string, name: string) => {
    return `[${requireValue(findGuide(name), `guide ${name}`).title}](${path})`
  })
}

/** Renders docs/events.md: the events of the change feed. */
export function renderEvents(): string {
  const rows = Object.entries(eventTypes).map(([name, { entity, means }]) => [
    renderCode(name),
    entity,
    means,
  ])
  return renderPage(
    'Events',
    'Types of the change feed (`/api/registry/feed`) and of the files in `DATA_DIR/events/`. Events are ordered by ' +
      '`event_id` (UUID v7) and kept for 90 days. The OpenAPI description has the payload of each type. Rows of the authorization snapshot have more fields than the payloads, such as `property_rid` and `property_id_slug`. `authorization.revoked` ends an authorization, `property.stale` suspends it while the grant is still in force, and `property.reactivated` resumes it. There are no events about brands, or about operators that confirm or contradict an authorization: use the lookups.',
    renderTable(['event', 'about', 'meaning'], rows),
  )
}

/** Renders docs/errors.md: the errors of the API. */
export function renderErrors(): string {
  const rows = Object.entries(publicErrors).map(([name, { status, means }]) => [
    String(status),
    renderCode(name),
    means,
  ])
  return renderPage(
    'Errors',
    'Every error response has an `error` message, and one of these names as its `code`.',
    renderTable(['status', 'code', 'meaning'], rows),
  )
}

/** Renders docs/metrics.md: what the operator's port shows. */
export function renderMetricsTable(): string {
  const rows = Object.keys(metricTable).map(name => {
    const { type, role, means, labels = {} } = findMetric(name as MetricName)
    const named = Object.entries(labels).map(([label, values]) => `${renderCode(label)}: ${values}`)
    return [renderCode(name), type, role, means, named.join('; ')]
  })
  return renderPage(
    'Metrics',
    'The operator’s port (`OPERATOR_PORT`) shows them at `/metrics` for Prometheus; `start` adds up those of all its processes. ' +
      'Names include the unit. Node’s own metrics (`process_…`, `nodejs_…`) have the label `role`. ' +
      '[Operate a registry](operating.md#watch) explains which of them to alert on.',
    renderTable(['metric', 'type', 'role', 'meaning', 'labels'], rows),
  )
}

/** Renders docs/crawling.md: outcomes of an attempt, and the queues between the roles. */
export function renderCrawling(): string {
  const results = Object.entries(outcomes).map(([name, { effect, means }]) => [
    renderCode(name),
    effect,
    renderCode(statesByEffect[effect]),
    resultsByEffect[effect],
    means,
  ])
  const jobs = Object.entries({ ...queues, submissions: SUBMISSIONS }).map(([name, { means }]) => [
    renderCode(name),
    means,
  ])
  return renderPage(
    'Outcomes and queues',
    'Each attempt to fetch a file or to call an agent ends with exactly one outcome. The effect of that outcome decides what ' +
      'happens to the version that was read before; in the data, the effect is the column `crawl_state.effect`. Responses of the API ' +
      'show the state, while pages and commands show the result.',
    renderTable(['outcome', 'effect', 'state', 'result', 'meaning'], results),
    '## Queues',
    renderTable(['queue', 'holds'], jobs),
  )
}

/** Renders the membership tiers, a section of docs/operating.md. */
export function renderTiers(): string {
  const rows = Object.entries(tiers).map(([name, { label, apiAccess }]) => [
    renderCode(name),
    label,
    apiAccess ? 'yes' : 'no',
  ])
  return renderTable(['tier', 'called', 'API access'], rows)
}

/** Renders .env.example: every setting with its default, commented out. */
export function renderEnvironmentExample(): string {
  const lines = Object.entries(settings).map(([name, { schema, shown, means }]) => {
    // What is shown may describe a default that cannot be written: uncommented, a line must mean what it says.
    const read = schema.safeParse(shown)
    const isDefault = read.success && isDeepStrictEqual(read.data, schema.safeParse(undefined).data)
    return isDefault || shown === ''
      ? `# ${means}\n#${name}=${shown}\n`
      : `# ${means}\n# (by default: ${shown})\n#${name}=\n`
  })
  return lines.join('\n')
}

function renderPage(title: string, ...parts: string[]): string {
  const note = '<!-- Derived from the code: `npm run generate` writes this page. -->'
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`
}
