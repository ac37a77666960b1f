import { countThings } from '../../../pipeline/core/counts.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { formatJson } from '../../../pipeline/core/format-json.ts'
import { toUrl } from '../../../pipeline/model/observation.ts'
import { type ProposedKind, proposedKinds } from '../../../pipeline/model/proposed-kind.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import { findHosted } from '../../../pipeline/read/lookups/hosted.ts'
import { isAboutHosted } from '../../inputs/hosted-part.ts'
import { parseFormDomain, type WorkshopForm } from '../../inputs/workshop-form.ts'
import { lookUpPublisher } from '../../routes/lookups.ts'
import { countExamined } from '../counted-faults.ts'
import { describeWrongDomain } from '../describe-refusal.ts'
import { type ComparedFile, checkFileText } from '../examined-file.ts'
import { buildExampleFile, describePlaceholder, EXAMPLE_NOTE } from '../example-file.ts'
import { loadFileText } from '../file-text.ts'
import { type Child, Fragment, type Html, h } from '../html/jsx.ts'
import { describeNothingHosted, HOSTED_NOTE, hasOwnFile } from '../own-file.ts'
import { renderSection } from '../parts/blocks.tsx'
import { renderMarkedLines } from '../parts/marked-lines.tsx'
import { renderWithoutWww } from '../parts/owner-links.tsx'
import { toCrawlPath, toWorkshopPath } from '../parts/paths.ts'
import { renderNamed, renderSellers } from '../parts/sellers.tsx'
import type { View, ViewCall } from '../view.ts'

/** Agents of the registry that the preview compares with. */
const AGENTS_COMPARED = '500'

interface WorkshopQuery {
  /** Domain as it was entered; empty if it was not. */
  domain: string
  kind: ProposedKind
}

/** Stands in an example whose domain nobody named. */
const EXAMPLE_DOMAIN = 'acme.example'

type Asking = Pick<ViewCall, 'ask' | 'services' | 'caller'>

/** Shows an empty form, or the file of a domain as it was last crawled. */
export async function show(call: ViewCall<WorkshopQuery>): Promise<View> {
  const { domain: entered, kind } = call.query
  const domain = parseFormDomain(entered)
  if (domain !== undefined) return showDomainFile({ kind, domain }, call)
  const hosting = await findHosting(kind, undefined, call)
  const form = { kind, domain: entered, text: '' }
  if (entered === '') return showForm(form, { hosting })
  return { ...showForm(form, { hosting, fault: describeWrongDomain(entered) }), status: 400 }
}

async function showDomainFile(
  { kind, domain }: { kind: ProposedKind; domain: Domain },
  call: Asking,
): Promise<View> {
  const found = await loadFileText(domain, kind, call)
  if (found === undefined) {
    const hosted = findHosted(call.services.reader, kind, domain)
    if (hosted !== undefined) {
      const note = `This is the ${kind} of ${domain} as it is hosted here.`
      const text = hosted.body.toString()
      return showExamined({ kind, domain, text }, call, { note, isHosted: true })
    }
    const hosting = await findHosting(kind, domain, call)
    const note = (
      <>
        No {kind} from {domain} has been read yet.{' '}
        {hosting === undefined ? (
          'Paste yours.'
        ) : (
          <>
            Paste yours, or <a href={toCrawlPath(domain)}>crawl the domain now</a>.
          </>
        )}
      </>
    )
    const result = renderWithoutWww(domain, bare => toWorkshopPath(bare, kind))
    return showForm({ kind, domain, text: '' }, { hosting, note, ...(result && { result }) })
  }
  const note = `This is the ${kind} of ${domain} as it ${found.when}`
  const { text, isUtf8 } = found
  return showExamined({ kind, domain, text, isUtf8 }, call, {
    note: found.isComplete
      ? `${note}.`
      : `${note}. Contact details have been removed: add yours before you publish it.`,
  })
}

/**
 * Shows the result of a check below the form that was sent, or of an example for its domain; `fault` says why the file
 * was not hosted.
 */
export function showChecked(form: WorkshopForm, call: Asking, fault?: string): Promise<View> {
  const { kind, domain, isExample } = form
  if (isExample) {
    const named = parseFormDomain(domain) ?? EXAMPLE_DOMAIN
    const text = buildExampleFile(kind, named, call.services.clock.now())
    return showExamined({ kind, domain, text }, call, { note: EXAMPLE_NOTE })
  }
  return showExamined(form, call, { fault })
}

/** Finds why a file cannot be taken to the dashboard; undefined if it can. */
export async function findHostingFault(
  { kind, domain, text, isUtf8 }: WorkshopForm,
  call: Asking,
): Promise<string | undefined> {
  const parsed = parseFormDomain(domain)
  if (parsed === undefined) return 'Enter your domain to host the file.'
  if (text.trim() === '') return 'Paste or upload the file to host.'
  if (!isUtf8) return 'Save the file as UTF-8 and upload it again; then host it.'
  if (parsed !== EXAMPLE_DOMAIN && text.includes(EXAMPLE_DOMAIN))
    return `This is still the example of ${EXAMPLE_DOMAIN}. Replace its names and URLs with yours first.`
  const placeholder = describePlaceholder(text)
  if (placeholder !== undefined) return placeholder
  const document = formatJson(text)
  const { errors, properties_hosted } = await checkFileText(
    { document, kind, domain: parsed },
    call,
  )
  if (errors.length > 0)
    return `Fix ${countThings(errors.length, 'error')} first; then host the file.`
  return properties_hosted === 0 ? describeNothingHosted(parsed) : undefined
}

type Filled = Pick<WorkshopForm, 'kind' | 'domain' | 'text'> &
  Partial<Pick<WorkshopForm, 'isEmptyUpload' | 'isUtf8'>>

const EMPTY_UPLOAD = 'The file that you uploaded is empty.'
const NO_FILE = 'Paste a file, upload one, or enter the domain that serves it.'

async function showExamined(
  sent: Filled,
  call: Asking,
  {
    note,
    fault: refused,
    isHosted = false,
  }: Pick<Below, 'note'> & { fault?: string | undefined; isHosted?: boolean } = {},
): Promise<View> {
  const { kind, isUtf8 = true } = sent
  const text = formatJson(sent.text)
  // What was lost of an upload must not come back as a text that passes.
  const isLost = !isUtf8 && note === undefined
  const filled = { ...sent, text: isLost ? '' : text }
  const domain = parseFormDomain(filled.domain)
  const hosting = await findHosting(kind, domain, call)
  const noDomain =
    domain === undefined && filled.domain !== '' ? describeWrongDomain(filled.domain) : undefined
  const reason = noDomain ?? refused
  const problem = { fault: reason, isDomainWrong: reason !== undefined && domain === undefined }
  if (text.trim() === '') {
    const fault = reason ?? (sent.isEmptyUpload ? EMPTY_UPLOAD : NO_FILE)
    return domain === undefined || reason !== undefined || sent.isEmptyUpload
      ? showForm(filled, { hosting, ...problem, fault })
      : showDomainFile({ kind, domain }, call)
  }
  const checked = await checkFileText({ document: text, kind, domain, isUtf8 }, call)
  const warnings = checked.warnings.filter(warning => !isHosted || isAboutHosted(kind, warning))
  const examined = { ...checked, warnings }
  const isVain = examined.valid && examined.properties_hosted === 0
  // Where there is a problem, the page begins at its top, which tells it.
  const anchor = reason === undefined ? 'verdict' : undefined
  const otherKind = examined.valid || isLost ? null : renderOtherKind(kind, text, anchor)
  // What is read already has a note that says where.
  const next = note === undefined && domain && renderNext({ kind, domain }, hosting)
  return showForm(filled, {
    hosting: hosting === 'open' && isVain ? 'nothing' : hosting,
    ...(note !== undefined && { note }),
    ...problem,
    result: otherKind ?? (
      <>
        {renderVerdict(examined, next, anchor)}
        {domain && renderWithoutWww(domain, bare => toWorkshopPath(bare, kind))}
        {renderMarkedLines(text, [...examined.errors, ...examined.warnings])}
        {kind === 'adagents.json'
          ? await renderPreview({ domain, noDomain }, examined, call)
          : null}
      </>
    ),
  })
}

async function renderPreview(
  { domain, noDomain }: { domain: string | undefined; noDomain: string | undefined },
  examined: ComparedFile,
  { ask }: Asking,
): Promise<Html | null> {
  if (domain === undefined) {
    return examined.agents.length === 0
      ? null
      : renderSection('sellers', 'Authorized agents', renderNamed(examined, noDomain))
  }
  const query = { domain, limit: AGENTS_COMPARED }
  const { body } = await ask<PublisherLookup>(lookUpPublisher, { query })
  return renderSection('sellers', 'Authorized agents', renderSellers(domain, body, examined))
}

/** The place to which a check scrolls. */
type Anchor = 'verdict' | undefined

/** Names at the top of a file by which its kind can be told. */
const tellingNames = {
  'adagents.json': /"authorized_agents"\s*:/,
  'brand.json': /"(?:house|brands)"\s*:/,
} as const satisfies Record<ProposedKind, RegExp>

/** Renders a button that checks a text as the other kind of file, where it looks like one. */
function renderOtherKind(kind: ProposedKind, text: string, id: Anchor): Html | null {
  const looksLike = proposedKinds.filter(known => tellingNames[known].test(text))
  const [other] = looksLike
  if (other === undefined || looksLike.includes(kind)) return null
  return (
    <p class="notice fair" id={id} role="status">
      This looks like {other === 'adagents.json' ? 'an' : 'a'} {other}.{' '}
      <button type="submit" class="plain" form="editor" name="as" value={other}>
        Check it as one
      </button>
    </p>
  )
}

function renderVerdict(examined: ComparedFile, next: Child, id: Anchor): Html {
  const { kind, valid, is_usable, errors, warnings } = examined
  if (errors.some(({ code }) => code === 'not_json')) {
    return (
      <p class="notice bad" id={id} role="status">
        <strong>Invalid {kind}</strong>: the rest can’t be checked yet. Fix this error, then check
        again.
      </p>
    )
  }
  const { warnings: counted = 0 } = countExamined({ examined })
  const warned = countThings(counted, 'warning')
  const vain = warnings.filter(({ code }) => code === 'without_effect').length
  const state = valid ? 'Valid' : is_usable ? 'Usable' : 'Invalid'
  const look = { Valid: vain > 0 ? 'fair' : 'good', Usable: 'fair', Invalid: 'bad' }[state]
  return (
    <p class={`notice ${look}`} id={id} role="status">
      <strong>
        {state} {kind}
      </strong>
      {valid
        ? counted > 0 && ` with ${warned}`
        : `: ${countThings(errors.length, 'error')}, ${warned}`}
      {valid && vain > 0
        ? `; ${countThings(vain, 'entry authorizes', 'entries authorize')} nothing`
        : null}
      . {valid && next}
      {state === 'Usable' && describeUsable(examined)}
    </p>
  )
}

/** Says what counts of a file with errors. */
function describeUsable({ kind, agents }: ComparedFile): string {
  if (kind === 'brand.json' || agents.length === 0)
    return 'Parts with errors may not take effect until you fix them.'
  return 'Parts with errors may not take effect until you fix them: Authorized agents, below, shows what this file would change.'
}

/** Renders where to serve a file, and how the registry reads it there. */
function renderNext(
  { kind, domain }: { kind: ProposedKind; domain: Domain },
  hosting: Hosting,
): Html {
  return (
    <>
      Serve it at <code>{toUrl({ kind, location: domain })}</code>
      {hosting === undefined ? null : (
        <>
          , then <a href={toCrawlPath(domain)}>have it crawled</a>
        </>
      )}
      .
    </>
  )
}

/** Tells apart files that can be hosted here and those that cannot; undefined where nobody signs in. */
type Hosting = 'open' | 'own file' | 'nothing' | undefined

/** Finds out whether a file can be hosted here: a domain that serves its own has no need of it. */
async function findHosting(
  kind: ProposedKind,
  domain: Domain | undefined,
  { ask, services }: Asking,
): Promise<Hosting> {
  if (!services.isAuthorizationServer) return undefined
  if (domain === undefined) return 'open'
  const isOwn = await hasOwnFile((operation, query) => ask(operation, { query }), kind, domain)
  return isOwn ? 'own file' : 'open'
}

interface Below {
  hosting: Hosting
  note?: Child
  fault?: string | undefined
  /** True if the fault is about the domain. */
  isDomainWrong?: boolean
  result?: Html
}

function showForm(filled: Filled, { hosting, note, fault, isDomainWrong, result }: Below): View {
  const { kind, domain, text } = filled
  return {
    title: 'Check a file before you publish it',
    description:
      'Paste an adagents.json or brand.json to see every issue with its line and a fix, and which agents it would authorize.',
    isEditor: true,
    body: (
      <>
        <h1>Check a file before you publish it</h1>
        <p class="lead">
          Paste your file, or enter your domain to open its current file. Every issue is shown below
          its line, with a fix. Nothing is stored.
        </p>
        {note === undefined ? null : <p class="notice">{note}</p>}
        <div id="problem">
          {fault === undefined ? null : (
            <p class="notice bad" id="fault" role="alert">
              {fault}
            </p>
          )}
        </div>
        <form
          id="editor"
          class="editor"
          method="post"
          action="/workshop#verdict"
          enctype="multipart/form-data"
        >
          <div class="row">
            <label>
              Domain
              <input
                id="domain"
                name="domain"
                value={domain}
                maxlength="300"
                placeholder="acme.example"
                {...(isDomainWrong && {
                  autofocus: true,
                  'aria-invalid': 'true',
                  'aria-describedby': 'fault',
                })}
              />
            </label>
            <label for="kind">
              File type
              {renderKinds(kind)}
            </label>
            <label>
              Upload a file
              <input id="file" name="file" type="file" accept=".json,application/json" />
            </label>
          </div>
          <label for="text">Or paste it</label>
          <textarea
            id="text"
            name="text"
            rows={text === '' ? '12' : '18'}
            spellcheck="false"
            wrap="off"
            placeholder={PLACEHOLDERS[kind]}
          >
            {text}
          </textarea>
          <div class="row">
            <button type="submit">Check</button>
            <button type="submit" class="plain" name="do" value="example">
              Start from an example
            </button>
            <button type="submit" class="plain" name="do" value="download">
              Download
            </button>
            {hosting === 'open' ? (
              <button type="submit" class="plain" name="do" value="publish">
                Host this file here
              </button>
            ) : null}
          </div>
          {hosting === 'nothing' && fault !== undefined ? null : renderHosting(filled, hosting)}
        </form>
        <div id="result">{result ?? null}</div>
      </>
    ),
  }
}

/** Renders what hosting the file here means, before anybody signs in for it. */
function renderHosting({ kind, domain }: Filled, hosting: Hosting): Html | null {
  if (hosting === undefined) return null
  if (hosting === 'own file') {
    return (
      <p class="hint">
        The site {domain} serves its own {kind}, so none can be hosted for it. To publish a change,
        check the file here, then download it and use it to replace the one on your site.
      </p>
    )
  }
  if (hosting === 'nothing')
    return <p class="hint">{describeNothingHosted(parseFormDomain(domain))}</p>
  return (
    <p class="hint">
      To host it here, sign in and verify your domain if you haven’t already.
      <span class="of-adagents"> {HOSTED_NOTE}</span>
    </p>
  )
}

const PLACEHOLDERS: Readonly<Record<ProposedKind, string>> = {
  'adagents.json': '{ "authorized_agents": [{ "url": "https://agent.example/mcp", … }] }',
  'brand.json': '{ "house": { "domain": "acme.example", "name": "Acme" }, "brands": [ … ] }',
}

function renderKinds(chosen: ProposedKind): Html {
  return (
    <select id="kind" name="kind">
      {proposedKinds.map(kind => (
        <option value={kind} selected={kind === chosen}>
          {kind}
        </option>
      ))}
    </select>
  )
}
