import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import { listOwnershipPlaces } from '../../pipeline/model/ownership.ts'
import type {
  OrganizationDomains,
  OwnershipChallenge,
} from '../../pipeline/model/responses/ownership.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { lookForNonce } from '../live/ownership-challenges.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderMoment, renderName } from '../pages/html/text.tsx'
import { renderFacts, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import type { OrganizationRequest, OrganizationRoute } from './dashboard-request.ts'
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'

const URL = '/api/me/organization/domains'

type Domains = z.infer<typeof OrganizationDomains>
type Challenge = z.infer<typeof OwnershipChallenge>

/**
 * An open challenge, as the forms of its page send it back: the registry stores only the hash of its token.
 */
const OpenChallenge = z.object({
  domain: z.string().transform((text, ctx) => {
    const domain = parseFormDomain(text)
    if (domain === undefined) ctx.addIssue({ code: 'custom', message: 'is no domain' })
    return domain as Domain
  }),
  nonce: z.string().regex(/^[\w-]{43}$/),
  expires_at: z.iso.datetime(),
})
type OpenChallenge = z.infer<typeof OpenChallenge>

async function showDomains(context: OrganizationRequest, fault?: string): Promise<DashboardAnswer> {
  const { callApi, org, organization, token } = context
  const listed = await callApi<Domains>({ method: 'GET', url: URL, query: org })
  const sectionPath = toSectionPath(organization.org_id, 'domains')
  const entries = toSectionPath(organization.org_id, 'entries')
  const body = (
    <>
      <h1>Domains</h1>
      <p class="lead">
        Once a domain is verified, your organization may save its brand and properties and host its
        files here. Verification is valid for ninety days.
      </p>
      {renderFault(fault ?? listed.refused)}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Domains',
            columns: ['Domain', 'Verified by', 'State', 'Valid until', 'Change'],
            items: listed.body.domains,
            limit: 200,
            bytes: 60_000,
            empty: 'You have not verified a domain yet.',
            render: ({ domain, method, proven, valid_until }) => [
              <a href={`${entries}?${new URLSearchParams({ domain })}`}>{renderName(domain)}</a>,
              method ?? '',
              proven ? renderBadge('good', 'verified') : renderBadge('fair', 'not verified'),
              renderMoment(valid_until, proven ? 'no end' : ''),
              renderButton(sectionPath, token, 'Verify again', { domain }, 'plain'),
            ],
          })}
      <form method="post" action={sectionPath} class="panel">
        <h2>Verify a domain</h2>
        {renderToken(token)}
        <label for="domain">Domain</label>
        <input id="domain" name="domain" required maxlength="300" placeholder="acme.example" />
        <button type="submit">Verify domain</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Domains', body }
}

async function beginProof(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, form } = context
  const payload = { domain: form.get('domain') ?? '' }
  const made = await callApi<Challenge>({ method: 'POST', url: URL, query: org, payload })
  if (made.refused !== undefined) return showDomains(context, made.refused)
  return showChallenge(context, made.body as unknown as OpenChallenge, 201)
}

function showChallenge(
  { organization, token, services }: OrganizationRequest,
  { domain, nonce, expires_at }: OpenChallenge,
  status: number,
  note?: Html,
): DashboardAnswer {
  const { txt, url } = listOwnershipPlaces(domain, services.config.PROTOCOL_NAME)
  const sectionPath = toSectionPath(organization.org_id, 'domains')
  const carried = { domain, nonce, expires_at }
  const body = (
    <>
      <h1>Verify {renderName(domain)}</h1>
      <p class="lead">
        Publish this token in one of two places before {renderMoment(expires_at)}. It is shown only
        on this page.
      </p>
      {note ?? null}
      <ol class="steps">
        <li>
          <h2>Publish the token</h2>
          <h3>As a TXT record</h3>
          {renderFacts([
            ['Name', <code>{txt}</code>],
            ['Text', <code>{nonce}</code>],
          ])}
          <h3>Or as a file</h3>
          {renderFacts([
            ['Address', <code>{url}</code>],
            ['Content', <code>{nonce}</code>],
          ])}
        </li>
        <li>
          <h2>Check without using the token</h2>
          <p>
            A crawler checks both places and shows you what it finds. This does not use up the
            token, so you can check as often as you like.
          </p>
          {renderButton(
            `${sectionPath}/look`,
            token,
            'Check without using the token',
            carried,
            'plain',
          )}
        </li>
        <li>
          <h2>Verify</h2>
          <p>The token can be verified only once: if it is not found, you need a new one.</p>
          {renderButton(`${sectionPath}/verify`, token, 'Verify now', carried)}
        </li>
      </ol>
    </>
  )
  return { status, title: `Verify ${domain}`, body }
}

async function lookFirst(context: OrganizationRequest): Promise<DashboardAnswer> {
  const carried = readChallenge(context)
  if (carried === undefined) return showDomains(context, 'Start the verification again.')
  const nonce_hash = createHash('sha256').update(carried.nonce).digest('hex')
  const challenge = { domain: carried.domain, nonce_hash }
  const found = await lookForNonce(challenge, context.person.user_id, context.services)
  const isThere = found.dns_txt || found.http
  const note = (
    <div class={isThere ? 'notice good' : 'notice fair'} role="status">
      <p>
        {isThere
          ? 'The token is there: verify it now.'
          : 'The token is not there yet. DNS can take a while.'}
      </p>
      {renderFacts([
        ['TXT record', renderFound(found.dns_txt)],
        ['File', renderFound(found.http)],
      ])}
    </div>
  )
  return showChallenge(context, carried, 200, note)
}

function renderFound(isThere: boolean): Html {
  return isThere ? renderBadge('good', 'found') : renderBadge('fair', 'not found')
}

async function verifyProof(context: OrganizationRequest): Promise<DashboardAnswer> {
  const { callApi, org, organization } = context
  const carried = readChallenge(context)
  if (carried === undefined) return showDomains(context, 'Start the verification again.')
  const url = `${URL}/${encodeURIComponent(carried.domain)}/verify`
  const { refused } = await callApi({ method: 'POST', url, query: org })
  if (refused !== undefined) return showDomains(context, refused)
  return { next: toSectionPath(organization.org_id, 'domains'), done: 'proven' }
}

function readChallenge({ form }: OrganizationRequest): OpenChallenge | undefined {
  return OpenChallenge.safeParse(Object.fromEntries(form)).data
}

export const domainRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/domains', handle: context => showDomains(context) },
  { method: 'POST', path: '/domains', handle: beginProof },
  { method: 'POST', path: '/domains/look', handle: lookFirst },
  { method: 'POST', path: '/domains/verify', handle: verifyProof },
]
