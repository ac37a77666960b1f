import { readFileSync } from 'node:fs'
import { escapeHtml } from '../../pipeline/core/escape-html.ts'
import { projectRoot } from '../../pipeline/core/project-root.ts'

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
  /** Sentences on what needs attention although all processes do their work. */
  notes: readonly string[]
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
  'Backups fail',
  'A store is damaged or missing',
  'The log of events is damaged',
  'The machine is lost',
  'The restored log is older than what others have seen',
  'A crawl would remove a large part of the registry',
  'Jobs fail',
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
  [
    /^no backup has been made in | has no backup of |^the (?:last )?backup (?:in|to) |^new events wait/,
    'Backups fail',
  ],
  [/^\d+ jobs? of the queue /, 'Jobs fail'],
  [/ is missing: the next start/, 'A store is damaged or missing'],
  [/^the log of events is not continued/, 'The restored log is older than what others have seen'],
  [/are held back/, 'A crawl would remove a large part of the registry'],
]

/** Finds the section of the guide of incidents that helps with a problem. */
export function findIncident(problem: string): Incident | undefined {
  return helps.find(([says]) => says.test(problem))?.[1]
}

/** Converts the title of a section to its path on the site. */
export function toIncidentPath(title: string): string {
  return `/docs/guides/incidents#${title.toLowerCase().replaceAll(' ', '-')}`
}

/** The look of the site, in one narrow column; it is in the page, since the site may be down. */
let style: string | undefined

function getStyle(): string {
  style ??= `${readFileSync(`${projectRoot}/data/pages/style.css`, 'utf8')}main{max-width:46rem}dd{margin:0 0 .75rem}`
  return style
}

/** Renders the start page of the operator's port: what is wrong, and links to all that it serves. */
export function renderStartPage({ problems, notes, queues, site, version }: StartPage): string {
  const entries = [
    describeLink('metrics', 'Metrics', 'Metrics of all roles, for Prometheus'),
    ...describeQueues(queues),
    describeLink('readyz', 'Readiness', 'The status above as JSON; 503 if something does not work'),
    describeLink('healthz', 'Health', 'Responds while this process is running'),
  ]
  const guides = GUIDES.map(
    ([name, title]) => `<a href="${escapeHtml(site)}/docs/guides/${name}">${title}</a>`,
  ).join(', ')
  const sections = incidents.map(
    title => `<li><a href="${escapeHtml(site + toIncidentPath(title))}">${title}</a></li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Operator · Registry</title><style>${getStyle()}</style></head>
<body><main><h1>Operator’s page</h1>
<p class="lead">This is version ${escapeHtml(version)} of <a href="${escapeHtml(site)}/">the registry</a>. For more, run <code>registry status</code>.</p>
<section><h2>Status</h2>${describeProblems(problems, site)}${describeNotes(notes, site)}</section>
<section><h2>On this port</h2><dl>${entries.join('')}</dl></section>
<section><h2>What to do when something is wrong</h2><p>Guides for operators: ${guides}. The API serves them; while it is down, they are in <code>docs/</code> of its folder. For each kind of incident:</p>
<ul>${sections.join('')}</ul></section>
</main></body></html>
`
}

function describeProblems(problems: readonly string[], site: string): string {
  if (problems.length === 0) return '<p class="notice good">No problems found.</p>'
  const items = problems.map(problem => {
    const title = findIncident(problem)
    const help = title && ` <a href="${escapeHtml(site + toIncidentPath(title))}">What to do</a>`
    return `<li>${renderSentence(problem, site)}${help ?? ''}</li>`
  })
  return `<div class="notice fair"><p>Needs attention:</p><ul>${items.join('')}</ul></div>`
}

function describeNotes(notes: readonly string[], site: string): string {
  if (notes.length === 0) return ''
  const items = notes.map(note => `<li>${renderSentence(note, site)}</li>`)
  return `<p>Notes:</p><ul>${items.join('')}</ul>`
}

/** Renders a sentence of a terminal: its commands as code, and documents as links. */
function renderSentence(sentence: string, site: string): string {
  return escapeHtml(sentence)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(
      /docs\/(?:operate\/)?([\w-]+)\.md/g,
      (_, name) => `<a href="${escapeHtml(site)}/docs/guides/${name}">docs/guides/${name}</a>`,
    )
}

function describeQueues(queues: StartPage['queues']): string[] {
  if (queues === 'elsewhere') return []
  if (queues === 'shown') return [describeLink('queues', 'Queues', 'Jobs in Redis, read-only')]
  return ['<dt>Queues</dt><dd>Set OPERATOR_TOKEN to see them: jobs contain private data.</dd>']
}

function describeLink(path: string, name: string, says: string): string {
  return `<dt><a href="/${path}">${name}</a></dt><dd>${says}</dd>`
}
