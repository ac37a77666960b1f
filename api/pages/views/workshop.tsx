import type { Domain } from '../../../pipeline/core/domain.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import { type ProposedKind, proposedKinds } from '../../../pipeline/parse/check-file.ts'
import type { ExaminedFile } from '../../inputs/proposed-file.ts'
import { parseFormDomain, type WorkshopForm } from '../../inputs/workshop-form.ts'
import { lookUpPublisher } from '../../routes/lookups.ts'
import { checkFileText } from '../examined-file.ts'
import { buildExampleFile } from '../example-file.ts'
import { loadFileText } from '../file-text.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { countThings } from '../html/text.tsx'
import { renderSection } from '../parts/blocks.tsx'
import { renderMarkedLines } from '../parts/marked-lines.tsx'
import { renderSellers } from '../parts/sellers.tsx'
import type { View, ViewCall } from '../view.ts'

/** Agents of the registry that the preview compares with. */
const AGENTS_COMPARED = '500'

interface WorkshopQuery {
  domain?: Domain | undefined
  kind: ProposedKind
  /** Set to start from an example. */
  example?: string | undefined
}

/** Stands in an example whose domain nobody named. */
const EXAMPLE_DOMAIN = 'acme.example'

type Asking = Pick<ViewCall, 'ask' | 'services' | 'caller'>

/** Shows an empty form, or one with the file of a domain as it was last crawled. */
export async function show(call: ViewCall<WorkshopQuery>): Promise<View> {
  const { domain, kind, example } = call.query
  const canPublish = call.services.isAuthorizationServer
  if (example !== undefined) {
    const text = buildExampleFile(kind, domain ?? EXAMPLE_DOMAIN, call.services.clock.now())
    const note = 'This is an example. Replace its values with yours.'
    return showExamined({ kind, domain: domain ?? '', text }, call, note)
  }
  if (domain === undefined) return showForm({ kind, domain: '', text: '' }, { canPublish })
  const found = await loadFileText(domain, kind, call)
  if (found === undefined) {
    const note = `The registry has no ${kind} of ${domain} to show here. Paste yours.`
    return showForm({ kind, domain, text: '' }, { canPublish, note })
  }
  const note = `This is the ${kind} of ${domain} as it ${found.when}`
  return showExamined(
    { kind, domain, text: found.text },
    call,
    found.isComplete
      ? `${note}.`
      : `${note}, without contact data: put yours back before you serve it.`,
  )
}

/** Shows the result of a check below the form that was sent. */
export function showChecked(form: WorkshopForm, call: Asking): Promise<View> {
  return showExamined(form, call)
}

type Filled = Pick<WorkshopForm, 'kind' | 'domain' | 'text'>

async function showExamined(filled: Filled, call: Asking, note?: string): Promise<View> {
  const { kind, text } = filled
  const canPublish = call.services.isAuthorizationServer
  if (text.trim() === '')
    return showForm(filled, { canPublish, fault: 'Paste a file, or choose one.' })
  const domain = parseFormDomain(filled.domain)
  if (domain === undefined && filled.domain !== '') {
    return showForm(filled, {
      canPublish,
      fault: `“${filled.domain}” is not a domain. Enter one such as acme.example.`,
    })
  }
  const examined = await checkFileText({ document: text, kind, domain }, call)
  return showForm(filled, {
    canPublish,
    ...(note !== undefined && { note }),
    result: (
      <>
        {renderVerdict(examined)}
        {renderMarkedLines(text, [...examined.errors, ...examined.warnings])}
        {kind === 'adagents.json' ? await renderPreview(domain, examined, call) : null}
      </>
    ),
  })
}

async function renderPreview(
  domain: string | undefined,
  { sellers }: ExaminedFile,
  { ask }: Asking,
): Promise<Html | null> {
  if (domain === undefined) {
    return renderSection(
      'sellers',
      'Authorized agents',
      <p class="empty">Name the domain above to see it, before and after.</p>,
    )
  }
  const query = { domain, limit: AGENTS_COMPARED }
  const { body } = await ask<PublisherLookup>(lookUpPublisher, { query })
  return renderSection('sellers', 'Authorized agents', renderSellers(domain, body, sellers))
}

function renderVerdict({ kind, valid, errors, warnings }: ExaminedFile): Html {
  const counted = `${countThings(errors.length, 'error')}, ${countThings(warnings.length, 'warning')}`
  return (
    <p class={`notice ${valid ? 'good' : 'bad'}`} id="verdict" role="status">
      <strong>{valid ? `Valid ${kind}` : `Invalid ${kind}`}</strong>: {counted}.
    </p>
  )
}

interface Below {
  /** True where people sign in here, who can publish it. */
  canPublish: boolean
  note?: string
  fault?: string
  result?: Html
}

function showForm(
  { kind, domain, text }: Filled,
  { canPublish, note, fault, result }: Below,
): View {
  return {
    title: 'Check a file before you publish it',
    description:
      'Paste an adagents.json or brand.json: every issue beside its line, with a fix, and which agents it authorizes once it is served.',
    isEditor: true,
    body: (
      <>
        <h1>Check a file before you publish it</h1>
        <p class="lead">
          Every issue beside its line, with a fix, by the same rules that the crawler applies.
          Checking stores nothing
          {canPublish ? '; hosting a file here needs a sign-in and a verified domain' : null}.
        </p>
        <form class="row" method="get" action="/workshop">
          <label for="start">Start from the file of a domain</label>
          <input
            id="start"
            name="domain"
            value={domain}
            maxlength="300"
            placeholder="acme.example"
          />
          <label class="unseen" for="start-kind">
            Type
          </label>
          {renderKinds('start-kind', kind)}
          <button type="submit">Open</button>
        </form>
        <p>Or start from an example: {renderExampleLinks(domain)}.</p>
        {note === undefined ? null : <p class="notice">{note}</p>}
        {fault === undefined ? null : (
          <p class="notice bad" role="alert">
            {fault}
          </p>
        )}
        <form class="editor" method="post" action="/workshop" enctype="multipart/form-data">
          <div class="row">
            <label for="kind">File type</label>
            {renderKinds('kind', kind)}
            <label for="domain">Domain that will serve it</label>
            <input
              id="domain"
              name="domain"
              value={domain}
              maxlength="300"
              placeholder="acme.example"
            />
          </div>
          <div class="row">
            <label for="file">Upload a file</label>
            <input id="file" name="file" type="file" accept=".json,application/json" />
          </div>
          <label for="text">Or paste its text</label>
          <textarea
            id="text"
            name="text"
            rows={text === '' ? '8' : '18'}
            spellcheck="false"
            wrap="off"
          >
            {text}
          </textarea>
          <div class="row">
            <button type="submit">Check</button>
            <button type="submit" class="plain" name="do" value="download">
              Download
            </button>
            {canPublish ? (
              <button type="submit" class="plain" name="do" value="publish">
                Host this file here
              </button>
            ) : null}
          </div>
        </form>
        <div id="result">{result ?? null}</div>
      </>
    ),
  }
}

function renderExampleLinks(domain: string): Html {
  const links = proposedKinds.map((kind, index) => (
    <>
      {index === 0 ? '' : ' or '}
      <a href={toExamplePath(domain, kind)}>{kind}</a>
    </>
  ))
  return <>{links}</>
}

function toExamplePath(domain: string, kind: ProposedKind): string {
  const named = parseFormDomain(domain)
  return `/workshop?${new URLSearchParams({ ...(named && { domain: named }), kind, example: 'true' })}`
}

function renderKinds(id: string, chosen: ProposedKind): Html {
  return (
    <select id={id} name="kind">
      {proposedKinds.map(kind => (
        <option value={kind} selected={kind === chosen}>
          {kind}
        </option>
      ))}
    </select>
  )
}
