import { createHash } from 'node:crypto'
import type { Domain } from '../../pipeline/core/domain.ts'
import { buildHostedAddress, type HostedKind, toHostingBase } from '../../pipeline/model/hosted.ts'
import type { History } from '../../pipeline/model/responses/history.ts'
import type { BrandResolution, PublisherLookup } from '../../pipeline/model/responses/index.ts'
import { findFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { PUBLISH_PATH } from '../pages/draft.ts'
import { buildExampleFile, EXAMPLE_NOTE } from '../pages/example-file.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderExactMoment, renderMoment, renderName } from '../pages/html/text.tsx'
import { HOSTED_NOTE, hasOwnFile } from '../pages/own-file.ts'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toWorkshopPath } from '../pages/parts/paths.ts'
import { withdrawBrand, withdrawProperties } from '../routes/community/withdrawals.ts'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { canChange } from './domain-rights.ts'
import { namePointer, renderPointer } from './hosted-preview.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderHidden,
  renderToken,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { mayRestore } from './restore-rights.ts'

const PREVIEW_CHARS = 20_000

/** Operations that stop hosting the files of a kind. */
const withdrawals = { 'adagents.json': withdrawProperties, 'brand.json': withdrawBrand } as const

/** Field of a form whose organization and domain were chosen on the page before it. */
export const FIXED = 'fixed'

/** Field with the hash of the hosted file that was opened, or that a review compared with: one that changed since is reviewed again. */
export const COMPARED = 'compared'

export function hashHosted(text: string | undefined): string {
  return text === undefined ? '' : createHash('sha256').update(text).digest('hex')
}

/** Operations that list the versions of hosted files, by kind. */
const histories = {
  'adagents.json': '/api/properties/history',
  'brand.json': '/api/brands/history',
} as const

/** A file of a domain: its text while it is hosted here. */
interface HostedFile {
  kind: HostedKind
  domain: Domain
  text: string | undefined
}

type Shared = Pick<OrganizationRequest, 'callApi' | 'org' | 'organization' | 'services' | 'token'>

/** Reads a hosted file as everybody gets it. */
export async function readHosted(
  { callApi }: Pick<Shared, 'callApi'>,
  kind: HostedKind,
  domain: Domain,
): Promise<HostedFile> {
  const { status, body } = await callApi({
    method: 'GET',
    url: buildHostedAddress('', kind, domain),
  })
  return { kind, domain, text: status === 200 ? JSON.stringify(body, null, 2) : undefined }
}

/** Versions of a file that is not hosted. */
interface OtherVersions {
  /** Button that restores the last version. */
  restore: Child
  /** True if the registry describes the domain by an entry that nobody hosts. */
  isDescribed: boolean
}

/** Renders the state of a domain's file: where it is served, what is left to do, and what can be changed. */
export async function renderHosted(
  context: Shared,
  { kind, domain }: Omit<HostedFile, 'text'>,
  { restore, isDescribed }: OtherVersions,
): Promise<Child> {
  const { text } = await readHosted(context, kind, domain)
  const since = kind === 'adagents.json' ? await findPointingSince(context, domain) : undefined
  return text === undefined
    ? renderMissing(context, { kind, domain }, { restore, isDescribed })
    : renderServed(context, { kind, domain, since })
}

/** Finds since when a domain points to its hosted adagents.json; null if it does not. */
async function findPointingSince({ callApi }: Pick<Shared, 'callApi'>, domain: Domain) {
  const { body } = await callApi<PublisherLookup>({
    method: 'GET',
    url: '/api/registry/publisher',
    query: { domain },
  })
  return body.hosting?.origin_verified_at ?? null
}

/** Renders why a file cannot be hosted for a domain that publishes its own; nothing for any other domain. */
export async function renderOwnFile(
  { callApi }: Pick<Shared, 'callApi'>,
  kind: HostedKind,
  domain: Domain,
): Promise<Html | null> {
  const isOwn = await hasOwnFile(
    ({ path: url }, query) => callApi({ method: 'GET', url, query }),
    kind,
    domain,
  )
  if (!isOwn) return null
  return (
    <p class="notice fair">
      {renderName(domain)} publishes its own {kind}, so none can be hosted for it. Change that file
      instead, or remove it first. <a href={toWorkshopPath(domain, kind)}>Check that file</a>
    </p>
  )
}

/** Renders that a domain serves a file which cannot be used, so that one hosted here has to take its place; null if it serves none. */
function renderInvalidFile(
  { services }: Pick<Shared, 'services'>,
  kind: HostedKind,
  domain: Domain,
): Html | null {
  if (findFileFreshness(services.reader, kind, domain).state !== 'invalid') return null
  const instead = `${kind === 'brand.json' ? 'a' : 'an'} ${kind}`
  return (
    <p class="notice fair">
      Your site serves {instead} that isn’t valid, so nobody can use it. Fix it there, or host one
      here and replace yours with a pointer to it.{' '}
      <a href={toWorkshopPath(domain, kind)}>See what’s wrong with it</a>
    </p>
  )
}

async function renderMissing(
  context: Shared,
  { kind, domain }: Omit<HostedFile, 'text'>,
  { restore, isDescribed }: OtherVersions,
): Promise<Html> {
  const own = await renderOwnFile(context, kind, domain)
  if (own !== null) return own
  const isBrand = kind === 'brand.json'
  const invalid = renderInvalidFile(context, kind, domain)
  const { state } = findFileFreshness(context.services.reader, kind, domain)
  return (
    <>
      {invalid ?? (
        <p class="empty">
          No {kind} is hosted here for this domain.
          {isDescribed ? ' The registry describes it by the version below.' : null}
        </p>
      )}
      <div class="actions">
        {restore}
        {canChange(context, domain) ? (
          <a
            class={restore || invalid ? 'button plain' : 'button'}
            href={toFilePath(context.org.org, 'edit', kind, domain)}
          >
            Host {restore ? 'another' : isBrand ? 'a' : 'an'} {kind}
          </a>
        ) : null}
        {invalid || state === 'absent' ? null : (
          <a href={toWorkshopPath(domain, kind)}>Check the file that the domain serves</a>
        )}
      </div>
      {isBrand ? null : <p class="hint">{HOSTED_NOTE}</p>}
    </>
  )
}

interface Served {
  kind: HostedKind
  domain: Domain
  /** Time since which the domain points here; null if it does not, undefined if nobody checks that. */
  since: string | null | undefined
}

function renderServed(context: Shared, { kind, domain, since }: Served): Html {
  const { org, services, token } = context
  const address = buildHostedAddress('', kind, domain)
  const base = services.baseUrl()
  const canPoint = toHostingBase(base) !== undefined
  return (
    <>
      <p>
        {since ? renderBadge('good', 'in use') : renderBadge('good', 'hosted')} Served at{' '}
        <a href={address}>{buildHostedAddress(base, kind, domain)}</a>
        {since ? <>; the domain has pointed here since {renderExactMoment(since)}</> : null}.
      </p>
      <div class="actions">
        {canChange(context, domain) ? (
          <>
            <a class="button" href={toFilePath(org.org, 'edit', kind, domain)}>
              Edit
            </a>
            <a class="button plain" href={toFilePath(org.org, 'stop', kind, domain)}>
              Stop hosting
            </a>
          </>
        ) : null}
        <a href={toWorkshopPath(domain, kind)}>Check the hosted file</a>
      </div>
      {since ? null : (
        <div class="next">
          <h3>{canPoint && since === null ? 'One step left' : namePointer(base)}</h3>
          {renderPointer(kind, domain, base)}
          {since === undefined || !canPoint || !canEdit(context.organization)
            ? null
            : renderButton(
                `${toSectionPath(org.org, 'entries')}/check-pointer`,
                token,
                'Check pointer now',
                { domain },
                'plain',
              )}
        </div>
      )}
    </>
  )
}

function toFilePath(orgId: string, action: 'edit' | 'stop', kind: HostedKind, domain: string) {
  return `${toSectionPath(orgId, 'entries')}/${action}?${new URLSearchParams({ domain, kind })}`
}

/** Parses which file a page or a form is about. */
function parseFile(domain: unknown, kind: unknown) {
  const parsed = typeof domain === 'string' ? parseFormDomain(domain.trim()) : undefined
  const known: HostedKind = kind === 'brand.json' ? 'brand.json' : 'adagents.json'
  return parsed && { domain: parsed, kind: known }
}

/** Returns to the list of hosted files when a page names no domain. */
const toList = ({ org }: Pick<Shared, 'org'>): DashboardAnswer => ({
  next: toSectionPath(org.org, 'entries'),
})

async function showEditor(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, query, token } = context
  const file = parseFile(query.domain, query.kind)
  if (file === undefined) return toList(context)
  const { domain, kind } = file
  const { text } = await readHosted(context, kind, domain)
  const brand =
    kind === 'brand.json'
      ? await callApi<BrandResolution>({
          method: 'GET',
          url: '/api/brands/resolve',
          query: { domain },
        })
      : undefined
  const title = text === undefined ? `Host the ${kind} of` : `Edit the ${kind} of`
  const body = (
    <>
      <h1>
        {title} {renderName(domain)}
      </h1>
      {text === undefined
        ? ((await renderOwnFile(context, kind, domain)) ?? renderInvalidFile(context, kind, domain))
        : null}
      <p class="lead">
        {text === undefined
          ? `${EXAMPLE_NOTE}${kind === 'brand.json' ? ' Begin with the name of your brand.' : ''} You can review what will be served before it is published.`
          : 'This is what is served now. You can review your change before it is published.'}
      </p>
      <form method="post" action={PUBLISH_PATH} class="editor">
        {renderToken(token)}
        {renderHidden({
          ...org,
          kind,
          domain,
          brand_name: brand?.body.brand_name,
          [FIXED]: 'yes',
          [COMPARED]: hashHosted(text),
        })}
        <label for="text">The file</label>
        <textarea id="text" name="text" rows="20" spellcheck="false" wrap="off" required>
          {text ?? buildHostedExample(context, file)}
        </textarea>
        <div class="row">
          <button type="submit">Review</button>
          <a href={toEntryPath(org.org, domain)}>Cancel</a>
        </div>
      </form>
    </>
  )
  return { status: 200, title: `${title} ${domain}`, body }
}

/** Builds an example of a file to host, which authorizes no agents. */
function buildHostedExample(
  { services }: Pick<Shared, 'services'>,
  { kind, domain }: { kind: HostedKind; domain: Domain },
): string {
  const example = buildExampleFile(kind, domain, services.clock.now())
  if (kind === 'brand.json') return example
  return JSON.stringify({ ...JSON.parse(example), authorized_agents: [] }, null, 2)
}

async function showStop(context: OrganizationRequest, fault?: string): Promise<DashboardAnswer> {
  const { callApi, form, org, query, services, token } = context
  const file = parseFile(query.domain ?? form.get('domain'), query.kind ?? form.get('kind'))
  if (file === undefined) return toList(context)
  const { domain, kind } = file
  const { text } = await readHosted(context, kind, domain)
  if (text === undefined && fault === undefined) return { next: toEntryPath(org.org, domain) }
  const url = histories[kind]
  const { body: history } = await callApi<Partial<History>>({
    method: 'GET',
    url,
    query: { domain },
  })
  const [last] = history.revisions ?? []
  const title = `Stop hosting the ${kind} of`
  const body = (
    <>
      <h1>
        {title} {renderName(domain)}?
      </h1>
      {renderFault(fault)}
      <p class="lead">
        <code>{buildHostedAddress(services.baseUrl(), kind, domain)}</code> will return 404. The
        list of edits stays public, but not what each version holds.{' '}
        {mayRestore(context, domain) ? 'You can restore any version later.' : null}
      </p>
      <p>
        {kind === 'adagents.json'
          ? 'Buyers will no longer see these properties. Remove the pointer from your site too.'
          : 'Buyers will no longer see this data about the brand.'}
      </p>
      {last === undefined ? null : (
        <p>
          The current version was saved by {renderName(last.editor_name, 80)}{' '}
          {renderMoment(last.created_at)}.
        </p>
      )}
      {text === undefined ? null : (
        <details class="raw">
          <summary>The file as served now</summary>
          <pre>{clipText(text, PREVIEW_CHARS)}</pre>
        </details>
      )}
      <form method="post" action={`${toSectionPath(org.org, 'entries')}/stop`} class="row">
        {renderToken(token)}
        {renderHidden({ domain, kind })}
        <button type="submit" class="danger">
          Stop hosting
        </button>
        <a href={toEntryPath(org.org, domain)}>Keep it</a>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: `${title} ${domain}`, body }
}

/** Stops hosting a file. */
export function withdrawFile(
  { callApi, org }: Pick<Shared, 'callApi' | 'org'>,
  { kind, domain }: Omit<HostedFile, 'text'>,
) {
  const url = withdrawals[kind].path.replace(':domain', encodeURIComponent(domain))
  return callApi({ method: 'DELETE', url, query: org })
}

async function stopHosting(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { form, org } = context
  const file = parseFile(form.get('domain'), form.get('kind'))
  if (file === undefined) return toList(context)
  const { refused } = await withdrawFile(context, file)
  if (refused !== undefined) return showStop(context, refused)
  const done = file.kind === 'brand.json' ? 'brand_withdrawn' : 'withdrawn'
  return { next: toEntryPath(org.org, file.domain), done }
}

export const hostedFileRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/entries/edit', right: 'edit', handle: showEditor },
  { method: 'GET', path: '/entries/stop', right: 'edit', handle: context => showStop(context) },
  { method: 'POST', path: '/entries/stop', handle: stopHosting },
]
