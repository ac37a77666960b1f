import { escapeHtml } from '../../pipeline/core/escape-html.ts'

/** Headers of the page: it loads nothing, and runs nothing. */
export const startPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** The part of the page that tells what is wrong, and whether the queues are shown. */
export interface StartPage {
  problems: readonly string[]
  queues: 'shown' | 'need a token' | 'elsewhere'
  /** Address of the site, which has the guides. */
  site: string
  /** Version that runs. */
  version: string
}

/** The guides of the site for who opens this page. */
const GUIDES = [
  ['registry-operator', 'daily tasks'],
  ['operating', 'commands, backup and recovery'],
] as const

/** Sections of the guide of incidents, by what an operator sees. */
export const incidents = [
  'The writer is stalled',
  'The disk is full',
  'Redis is down or has lost its data',
  'A store is damaged or missing',
  'The machine is lost',
  'The restored log is older than what others have seen',
  'A crawl would remove a large part of the registry',
  'A wrong write',
  'A domain owner asks to be removed',
  'A secret has leaked',
] as const

type Incident = (typeof incidents)[number]

/** The section that helps with a problem, by what its sentence says. */
const helps: readonly (readonly [RegExp, Incident])[] = [
  [/^the disk of .* is full|are free on the disk/, 'The disk is full'],
  [/^Redis /, 'Redis is down or has lost its data'],
  [
    /the writer has made no progress|indexer (?:does not answer|is not running)/,
    'The writer is stalled',
  ],
  [/ is missing: the next start/, 'A store is damaged or missing'],
  [/^the log of events is not continued/, 'The restored log is older than what others have seen'],
  [/^the brake holds back/, 'A crawl would remove a large part of the registry'],
]

/** Finds the section of the guide of incidents that helps with a problem. */
export function findIncident(problem: string): Incident | undefined {
  return helps.find(([says]) => says.test(problem))?.[1]
}

/** Converts the title of a section to its path on the site. */
export function toIncidentPath(title: string): string {
  return `/docs/guides/incidents#${title.toLowerCase().replaceAll(' ', '-')}`
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem}dt{margin-top:1rem}dd{margin:0}a{color:#0b57d0}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#8ab4f8}}`

/** Renders the start page of the operator's port: what is wrong, and links to all that it serves. */
export function renderStartPage({ problems, queues, site, version }: StartPage): string {
  const entries = [
    describeLink('metrics', 'Metrics', 'Metrics of all roles, for Prometheus'),
    ...describeQueues(queues),
    describeLink('readyz', 'Readiness', 'The list above as JSON; 503 if something does not work'),
    describeLink('healthz', 'Health', 'Responds while this process is running'),
  ]
  const guides = GUIDES.map(
    ([name, title]) => `<a href="${escapeHtml(site)}/docs/guides/${name}">${title}</a>`,
  ).join(', ')
  const sections = incidents.map(
    title => `<dd><a href="${escapeHtml(site + toIncidentPath(title))}">${title}</a></dd>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Operator · Registry</title><style>${style}</style></head>
<body><main><h1>Operator’s page</h1>
${describeProblems(problems, site)}
<dl>${entries.join('')}</dl>
<p>This is version ${escapeHtml(version)}. For more, run <code>registry status</code>. The guides for operators: ${guides}.</p>
<dl><dt>What to do when something is wrong:</dt>${sections.join('')}</dl>
</main></body></html>
`
}

function describeProblems(problems: readonly string[], site: string): string {
  if (problems.length === 0) return '<p>All is well.</p>'
  const items = problems.map(problem => {
    const title = findIncident(problem)
    const help = title && ` <a href="${escapeHtml(site + toIncidentPath(title))}">What to do</a>`
    return `<li>${escapeHtml(problem)}${help ?? ''}</li>`
  })
  return `<p>Needs attention:</p><ul>${items.join('')}</ul>`
}

function describeQueues(queues: StartPage['queues']): string[] {
  if (queues === 'elsewhere') return []
  if (queues === 'shown') return [describeLink('queues', 'Queues', 'Jobs in Redis, read-only')]
  return ['<dt>Queues</dt><dd>Set OPERATOR_TOKEN to see them: jobs contain private data.</dd>']
}

function describeLink(path: string, name: string, says: string): string {
  return `<dt><a href="/${path}">${name}</a></dt><dd>${says}</dd>`
}
