import { createHash } from 'node:crypto'
import { z } from 'zod'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { isOwnMachine } from '../../pipeline/core/mail-place.ts'
import { hostedKinds } from '../../pipeline/model/hosted.ts'
import { listOwnershipPlaces } from '../../pipeline/model/ownership.ts'
import type {
  OrganizationDomains,
  OwnershipChallenge,
} from '../../pipeline/model/responses/ownership.ts'
import { findHolder, listOpenChallenges } from '../../pipeline/read/lookups/ownership.ts'
import { BACK, parseWayBack } from '../identity/way-back.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { lookForNonce } from '../live/ownership-challenges.ts'
import { PUBLISH_PATH } from '../pages/draft.ts'
import { type Child, Fragment, h } from '../pages/html/jsx.ts'
import { capitalize, renderExactMoment, renderName } from '../pages/html/text.tsx'
import { hasOwnFile } from '../pages/own-file.ts'
import { renderFacts } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { renderWithoutWww } from '../pages/parts/owner-links.tsx'
import { toVerifyPath } from '../pages/parts/paths.ts'
import type { DashboardRequest, OrganizationRequest, PersonRoute } from './dashboard-request.ts'
import { findFormFault, type Refusal, renderDomainField } from './field.tsx'
import { chooseOrganization, NEW_NAME, renderOrganizationField } from './own-organization.tsx'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderHidden,
  renderToken,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { publishReviewed } from './publish-file.ts'
import { showViewed } from './viewing.tsx'

/** Page on which a proof of a domain starts. */
export const VERIFY_PATH = '/dashboard/verify'
/** Form that verifies an open challenge. */
export const CHECK_PATH = `${VERIFY_PATH}/check`
const DOMAINS = '/api/me/organization/domains'

/**
 * A challenge with its token, as the form of its page sends it back: the registry stores only the hash of the token.
 */
const ShownChallenge = z.object({
  domain: z.string().transform((text, ctx) => {
    const domain = parseFormDomain(text)
    if (domain === undefined) ctx.addIssue({ code: 'custom', message: 'no domain' })
    return domain as Domain
  }),
  nonce: z.string().regex(/^[\w-]{43}$/),
  expires_at: z.iso.datetime(),
})
type ShownChallenge = z.infer<typeof ShownChallenge>

/** A proof to start, and the page to go on with after it. */
interface Proof {
  domain: string
  back?: string | undefined
  refusal?: Refusal
}

function showStart(
  context: DashboardRequest,
  { domain, back, refusal = {} }: Proof,
): DashboardAnswer {
  const viewed = showViewed(context, 'Verify a domain')
  if (viewed) return viewed
  const body = (
    <>
      <h1>Verify a domain</h1>
      <p class="lead">
        Once a domain is verified, your organization can host its files here, unless the domain
        publishes its own. To verify it, publish a token in its DNS or on its site.
      </p>
      {renderFault(findFormFault(refusal, ['domain', NEW_NAME]))}
      <form method="post" action={VERIFY_PATH} class="panel">
        {renderToken(context.token)}
        {renderHidden({ [BACK]: back })}
        {renderOrganizationField(context, refusal)}
        {renderDomainField({ refusal, value: domain, placeholder: 'acme.example' })}
        <button type="submit">Verify domain</button>
      </form>
    </>
  )
  return { status: refusal.refused === undefined ? 200 : 400, title: 'Verify a domain', body }
}

async function start(context: DashboardRequest): Promise<DashboardAnswer> {
  const proof = readProof(context)
  const chosen = await chooseOrganization(context)
  return 'refusal' in chosen
    ? showStart(context, { ...proof, refusal: chosen.refusal })
    : beginProof(chosen, proof)
}

/**
 * Creates a challenge for an organization and shows its token; the way back follows a proof that succeeds. Where none
 * is created, `showRefused` shows the page of the form again.
 */
export async function beginProof(
  context: OrganizationRequest,
  { domain, back, refusal: before }: Proof,
  showRefused: (refusal: Refusal) => DashboardAnswer | Promise<DashboardAnswer> = refusal =>
    showStart(context, { domain, back, refusal }),
): Promise<DashboardAnswer> {
  const { callApi, org } = context
  const request = { method: 'POST', url: DOMAINS, query: org, payload: { domain } } as const
  const made = await callApi<z.infer<typeof OwnershipChallenge>>(request)
  if (made.refused !== undefined) return showRefused(made)
  const challenge = made.body as unknown as ShownChallenge
  const note = isHeldByAnother(context, challenge.domain) ? (
    <p class="notice fair" role="status">
      Another organization holds {renderName(challenge.domain)} here, and will see that you have
      verified it too. You’ll share its hosted files, but can’t add its agents.
    </p>
  ) : null
  const notes = (
    <>
      {renderFault(before?.refused)}
      {note}
    </>
  )
  return showChallenge(context, challenge, { back, note: notes, status: 201 })
}

/** Describes how long a file waits for the proof of its domain. */
function describeDraft({ config }: DashboardRequest['services'], domain: string): string {
  return `Your draft is kept for ${countThings(config.LIMITS.draftMinutes, 'minute')} and published once ${domain} is verified.`
}

interface ChallengeView {
  back: string | undefined
  status: number
  note: Child
}

function showChallenge(
  { organization, org, token, services }: OrganizationRequest,
  { domain, nonce, expires_at }: ShownChallenge,
  { back, status, note }: ChallengeView,
): DashboardAnswer {
  const { txt, url } = listOwnershipPlaces(domain, services.config.PROTOCOL_NAME)
  const body = (
    <>
      <h1>Verify {renderName(domain)}</h1>
      <p class="lead">
        Publish this token to prove that you control {renderName(domain)}. It’s valid until{' '}
        {renderExactMoment(expires_at)}, and shown only on this page.
      </p>
      {note}
      {renderWithoutWww(domain, toVerifyPath)}
      <h2>As a file</h2>
      <p>The quickest way: put one line of text on your site.</p>
      {renderFacts([
        ['URL', <code class="copied">{renderUrl(url)}</code>],
        ['Content', <code class="copied">{nonce}</code>],
      ])}
      <h2>Or as a TXT record</h2>
      <p>DNS changes may take longer than the token lasts. If they do, use the file.</p>
      {renderFacts([
        ['Name', <code class="copied">{txt}</code>],
        ['Text', <code class="copied">{nonce}</code>],
      ])}
      {isOwnMachine(new URL(services.baseUrl()).hostname) ? (
        <p class="hint">
          For a demo domain, run the command that <code>npm start</code> prints, with this token
          instead of <code>TOKEN</code>.
        </p>
      ) : null}
      <div class="actions">
        {renderButton(CHECK_PATH, token, 'Verify now', {
          ...org,
          domain,
          nonce,
          expires_at,
          [BACK]: back,
        })}
        {renderButton(
          VERIFY_PATH,
          token,
          'Get a new token',
          { ...org, domain, [BACK]: back },
          'plain',
        )}
      </div>
      <p class="quiet">
        Both places are checked. You can try as often as you like until the token expires.
        {back === PUBLISH_PATH ? ` ${describeDraft(services, domain)}` : null} You can also finish
        later under <a href={toSectionPath(organization.org_id, 'domains')}>Domains</a>. That page
        doesn’t show the token, so publish it before you leave.
      </p>
    </>
  )
  return { status, title: `Verify ${domain}`, body }
}

/** Renders a URL that wraps behind its slashes, rather than within a word. */
function renderUrl(url: string): Child {
  return url.split(/(?<=[^/:]\/)/).map((part, at) => [at === 0 ? null : <wbr />, part])
}

/**
 * Looks for the token before it verifies, since a verification that finds nothing uses up the challenge. When
 * one was used up or has expired, another one takes its place.
 */
async function verify(context: DashboardRequest): Promise<DashboardAnswer> {
  const { person, services } = context
  const proof = readProof(context)
  const shown = ShownChallenge.safeParse(Object.fromEntries(context.form)).data
  const chosen = await chooseOrganization(context)
  if ('refusal' in chosen) return showStart(context, { ...proof, refusal: chosen.refusal })
  const challenge = shown ? hashNonce(shown) : findOpenChallenge(chosen, proof.domain)
  if (challenge === undefined) {
    return showStart(context, {
      ...proof,
      refusal: { refused: 'The token has expired. Get a new one.' },
    })
  }
  const domain = challenge.domain as Domain
  const found = await lookForNonce({ ...challenge, domain }, person.user_id, services)
  if (!found.isFound) return showMissing(chosen, proof, { domain, shown, instead: found.instead })
  const url = `${DOMAINS}/${encodeURIComponent(domain)}/verify`
  const { refused } = await chosen.callApi({ method: 'POST', url, query: chosen.org })
  if (refused !== undefined) return beginProof(chosen, { ...proof, refusal: { refused } })
  const published = await publishReviewed(chosen, domain)
  if (published) return published
  const next = proof.back ?? toEntryPath(chosen.organization.org_id, domain)
  if (isHeldByAnother(chosen, domain)) return { next, done: 'proven_only' }
  if (proof.back !== undefined) return { next, done: 'proven' }
  return { next, done: (await hasAllFiles(chosen, domain)) ? 'proven_serving' : 'proven_open' }
}

/** Tells whether a domain serves each of its files, so that none can be hosted for it. */
async function hasAllFiles(
  { callApi }: Pick<OrganizationRequest, 'callApi'>,
  domain: Domain,
): Promise<boolean> {
  const own = await Promise.all(
    hostedKinds.map(kind =>
      hasOwnFile(({ path: url }, query) => callApi({ method: 'GET', url, query }), kind, domain),
    ),
  )
  return own.every(isOwn => isOwn)
}

/** Tells whether another organization holds a domain by a proof, which one more does not change. */
function isHeldByAnother(
  { organization, services }: OrganizationRequest,
  domain: string | undefined,
): boolean {
  const holder = domain === undefined ? undefined : findHolder(services.reader, domain)
  return holder !== undefined && holder.proof !== 'email' && holder.org_id !== organization.org_id
}

function hashNonce({ domain, nonce }: ShownChallenge) {
  return { domain, nonce_hash: createHash('sha256').update(nonce).digest('hex') }
}

/** Finds the challenge of a domain whose token the person has published elsewhere by now. */
function findOpenChallenge({ organization, services }: OrganizationRequest, domain: string) {
  const open = listOpenChallenges(services.reader, organization.org_id)
  return open.find(challenge => challenge.domain === parseFormDomain(domain))
}

/** A token that was found in neither place, and what each place shows instead. */
interface MissingNonce {
  domain: Domain
  shown: ShownChallenge | undefined
  instead: readonly string[]
}

/** Says that the token was found in neither place: beside the token, where the page still has it. */
function showMissing(
  context: OrganizationRequest,
  proof: Proof,
  { domain, shown, instead }: MissingNonce,
): DashboardAnswer {
  const note = (
    <div class="notice fair" role="status">
      <p>{renderBadge('fair', 'not found')} The token isn’t in either place yet.</p>
      <ul>
        {instead.map(place => (
          <li>
            <bdi>{capitalize(place)}</bdi>.
          </li>
        ))}
      </ul>
      <p class="quiet">DNS can take a while to show a new record.</p>
    </div>
  )
  if (shown) return showChallenge(context, shown, { back: proof.back, status: 200, note })
  const fields = { domain, ...context.org, [BACK]: proof.back }
  const body = (
    <>
      <h1>Verify {renderName(domain)}</h1>
      {note}
      <p>A token is shown only once. If you no longer have it, get a new one.</p>
      <div class="actions">
        {renderButton(CHECK_PATH, context.token, 'Verify now', fields)}
        {renderButton(VERIFY_PATH, context.token, 'Get a new token', fields, 'plain')}
        <a href={toSectionPath(context.organization.org_id, 'domains')}>Domains</a>
      </div>
    </>
  )
  return { status: 200, title: `Verify ${domain}`, body }
}

/** Finds the organization of the person that has verified a domain. */
async function findOwner({ callApi, memberships }: DashboardRequest, domain: string) {
  if (domain === '') return undefined
  const owners = await Promise.all(
    memberships.map(async ({ org_id: org }) => {
      const { body } = await callApi<z.infer<typeof OrganizationDomains>>({
        method: 'GET',
        url: DOMAINS,
        query: { org },
      })
      return body.domains?.some(own => own.proven && own.domain === domain) ? [org] : []
    }),
  )
  return owners.flat()[0]
}

function readProof({ form }: DashboardRequest): Proof {
  return { domain: form.get('domain') ?? '', back: parseWayBack(form.get(BACK)) }
}

export const proofRoutes: readonly PersonRoute[] = [
  {
    method: 'GET',
    path: VERIFY_PATH,
    handle: async context => {
      const { domain, [BACK]: back } = context.query
      const text = typeof domain === 'string' ? domain : ''
      const owner = back === undefined ? await findOwner(context, text) : undefined
      if (owner !== undefined) return { next: toEntryPath(owner, text) }
      return showStart(context, { domain: text, back: parseWayBack(back) })
    },
  },
  { method: 'POST', path: VERIFY_PATH, handle: start },
  { method: 'POST', path: CHECK_PATH, handle: verify },
]
