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
import {
  type DashboardAnswer,
  renderButton,
  renderFault,
  renderToken,
  toSectionPath,
} from './page.tsx'
import type { OrganizationPlace, OrganizationStep } from './step.ts'

const URL = '/api/me/organization/domains'

type Domains = z.infer<typeof OrganizationDomains>
type Challenge = z.infer<typeof OwnershipChallenge>

/** A challenge as the form of its page carries it: only its hash is stored. */
const Carried = z.object({
  domain: z.string().transform((text, ctx) => {
    const domain = parseFormDomain(text)
    if (domain === undefined) ctx.addIssue({ code: 'custom', message: 'is no domain' })
    return domain as Domain
  }),
  nonce: z.string().regex(/^[\w-]{43}$/),
  expires_at: z.iso.datetime(),
})
type Carried = z.infer<typeof Carried>

async function showDomains(step: OrganizationStep, fault?: string): Promise<DashboardAnswer> {
  const { ask, org, organization, token } = step
  const listed = await ask<Domains>({ method: 'GET', url: URL, query: org })
  const at = toSectionPath(organization.org_id, 'domains')
  const entries = toSectionPath(organization.org_id, 'entries')
  const body = (
    <>
      <h1>Domains</h1>
      <p class="lead">
        Whoever has proven that they control a domain may save what it is and publish its hosted
        file. A proof is valid for ninety days.
      </p>
      {renderFault(fault ?? listed.refused)}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Domains',
            columns: ['Domain', 'Proven by', 'State', 'Valid until', 'Change'],
            items: listed.body.domains,
            limit: 200,
            bytes: 60_000,
            empty: 'No domain is proven yet.',
            render: ({ domain, method, proven, valid_until }) => [
              <a href={`${entries}?${new URLSearchParams({ domain })}`}>{renderName(domain)}</a>,
              method ?? '',
              proven ? renderBadge('good', 'proven') : renderBadge('fair', 'to be proven'),
              renderMoment(valid_until, proven ? 'for good' : ''),
              renderButton(at, token, 'Prove it again', { domain }, 'plain'),
            ],
          })}
      <form method="post" action={at} class="panel">
        <h2>Prove a domain</h2>
        {renderToken(token)}
        <label for="domain">Domain</label>
        <input id="domain" name="domain" required maxlength="300" placeholder="acme.example" />
        <button type="submit">Begin</button>
      </form>
    </>
  )
  return { status: fault === undefined ? 200 : 400, title: 'Domains', body }
}

async function beginProof(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, form } = step
  const payload = { domain: form.get('domain') ?? '' }
  const made = await ask<Challenge>({ method: 'POST', url: URL, query: org, payload })
  if (made.refused !== undefined) return showDomains(step, made.refused)
  return showChallenge(step, made.body as unknown as Carried, 201)
}

function showChallenge(
  { organization, token, services }: OrganizationStep,
  { domain, nonce, expires_at }: Carried,
  status: number,
  note?: Html,
): DashboardAnswer {
  const { txt, url } = listOwnershipPlaces(domain, services.config.PROTOCOL_NAME)
  const at = toSectionPath(organization.org_id, 'domains')
  const carried = { domain, nonce, expires_at }
  const body = (
    <>
      <h1>Prove {renderName(domain)}</h1>
      <p class="lead">
        Publish this token in one of two places, until {renderMoment(expires_at)}. It is shown only
        here.
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
          <h2>Look first</h2>
          <p>
            A crawler looks in both places and tells what it sees. Nothing is used up: look as often
            as you like.
          </p>
          {renderButton(`${at}/look`, token, 'Look first', carried, 'plain')}
        </li>
        <li>
          <h2>Verify</h2>
          <p>The token counts once: if it is not there, a new one is needed.</p>
          {renderButton(`${at}/verify`, token, 'Verify now', carried)}
        </li>
      </ol>
    </>
  )
  return { status, title: `Prove ${domain}`, body }
}

async function lookFirst(step: OrganizationStep): Promise<DashboardAnswer> {
  const carried = readCarried(step)
  if (carried === undefined) return showDomains(step, 'Begin the proof again.')
  const nonce_hash = createHash('sha256').update(carried.nonce).digest('hex')
  const asked = { domain: carried.domain, nonce_hash }
  const found = await lookForNonce(asked, step.person.user_id, step.services)
  const isThere = found.dns_txt || found.http
  const note = (
    <div class={isThere ? 'notice good' : 'notice fair'} role="status">
      <p>
        {isThere ? 'It is there: verify it now.' : 'It is not there yet. DNS may take a while.'}
      </p>
      {renderFacts([
        ['TXT record', renderFound(found.dns_txt)],
        ['File', renderFound(found.http)],
      ])}
    </div>
  )
  return showChallenge(step, carried, 200, note)
}

function renderFound(isThere: boolean): Html {
  return isThere ? renderBadge('good', 'found') : renderBadge('fair', 'not found')
}

async function verifyProof(step: OrganizationStep): Promise<DashboardAnswer> {
  const { ask, org, organization } = step
  const carried = readCarried(step)
  if (carried === undefined) return showDomains(step, 'Begin the proof again.')
  const url = `${URL}/${encodeURIComponent(carried.domain)}/verify`
  const { refused } = await ask({ method: 'POST', url, query: org })
  if (refused !== undefined) return showDomains(step, refused)
  return { next: toSectionPath(organization.org_id, 'domains'), done: 'proven' }
}

function readCarried({ form }: OrganizationStep): Carried | undefined {
  return Carried.safeParse(Object.fromEntries(form)).data
}

export const domainPlaces: readonly OrganizationPlace[] = [
  { method: 'GET', path: '/domains', take: step => showDomains(step) },
  { method: 'POST', path: '/domains', take: beginProof },
  { method: 'POST', path: '/domains/look', take: lookFirst },
  { method: 'POST', path: '/domains/verify', take: verifyProof },
]
