import { countThings } from '../../pipeline/core/counts.ts'
import { hostedKinds } from '../../pipeline/model/hosted.ts'
import { findHosted } from '../../pipeline/read/lookups/hosted.ts'
import { listExpiredChallenges, listLostDomains } from '../../pipeline/read/lookups/ownership.ts'
import { parseFormDomain } from '../inputs/workshop-form.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, joinWords, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { renderBadge } from '../pages/parts/freshness.tsx'
import { toPlainWords } from '../pages/parts/plain-words.ts'
import { confirmFirst, SUBJECT } from './confirm.tsx'
import { canEdit, type OrganizationRequest, type OrganizationRoute } from './dashboard-request.ts'
import { DOMAINS_URL, type Domains, listDomains, renderDomainFiles } from './domain-files.tsx'
import { describeEnding } from './ending-proofs.tsx'
import { findFormFault, type Refusal, renderDomainField } from './field.tsx'
import { withdrawFile } from './hosted-file.tsx'
import {
  type DashboardAnswer,
  type DoneName,
  renderButton,
  renderFault,
  renderToken,
  toEntryPath,
  toSectionPath,
} from './page.tsx'
import { beginProof, CHECK_PATH } from './proof.tsx'
import { END_OTHERS, listSharers, renderEnding, renderSharers } from './sharers.tsx'

type OwnedDomain = Domains['domains'][number]

async function showDomains(
  context: OrganizationRequest,
  refusal: Refusal = {},
): Promise<DashboardAnswer> {
  const { organization, services } = context
  const listed = await listDomains(context, organization.org_id)
  const waiting = new Set(listed.body.pending?.map(({ domain }) => domain))
  const body = (
    <>
      <p class="lead">
        Once a domain is verified, your organization can host its files here, unless the domain
        serves its own.
      </p>
      {renderFault(findFormFault(refusal, ['domain']) ?? listed.refused)}
      {listLostDomains(services.reader, organization.org_id).map(domain => (
        <p class="notice fair">
          Another organization has verified {renderName(domain)}, so your organization no longer
          holds it: an email address there doesn’t prove that you control the domain. If you do,
          verify it too.
        </p>
      ))}
      {listed.refused !== undefined
        ? null
        : renderTable({
            caption: 'Domains',
            columns: ['Domain', 'Source', 'State', 'Valid until', 'Action'],
            items: listed.body.domains,
            limit: 200,
            bytes: 60_000,
            empty: 'You haven’t verified a domain yet.',
            render: ({ domain, method, proven, valid_until }) => [
              <a href={toEntryPath(organization.org_id, domain)}>{renderName(domain)}</a>,
              method === 'email' ? 'Your email address' : capitalize(toPlainWords(method)),
              <>
                {renderProofState(context, { method, proven, valid_until })}
                {renderOthers(context, domain)}
              </>,
              renderMoment(valid_until, proven ? 'no expiry' : ''),
              renderActions(context, { domain, proven, isWaiting: waiting.has(domain) }),
            ],
          })}
      {listed.refused === undefined ? await renderDomainFiles(context, listed.body) : null}
      {listed.refused !== undefined || listed.body.pending.length === 0
        ? null
        : renderSection('pending', 'Pending verifications', renderPending(context, listed.body))}
      {listed.refused === undefined ? renderExpired(context, listed.body) : null}
      {canEdit(organization) ? renderNewForm(context, refusal) : null}
    </>
  )
  return {
    status: refusal.refused === undefined ? 200 : 400,
    title: 'Domains',
    heading: 'Domains',
    body,
  }
}

function renderNewForm(
  { form, organization, services, token }: OrganizationRequest,
  refusal: Refusal,
): Html {
  return (
    <form method="post" action={toSectionPath(organization.org_id, 'domains')} class="panel">
      <h2>Verify a domain</h2>
      {renderToken(token)}
      {renderDomainField({
        refusal,
        hint: `Verification lasts ${countThings(services.config.LIMITS.proofDays, 'day')}. After that, hosted files stay online, but you have to verify the domain again to change them. This page shows when that’s due.`,
        value: refusal.refused === undefined ? undefined : (form.get('domain') ?? ''),
        placeholder: 'acme.example',
      })}
      <button type="submit">Verify domain</button>
    </form>
  )
}

/** Renders what can be done with a domain. */
function renderActions(
  { organization, token }: OrganizationRequest,
  { domain, proven, isWaiting }: Pick<OwnedDomain, 'domain' | 'proven'> & { isWaiting: boolean },
): Child {
  if (!canEdit(organization)) return null
  const path = toSectionPath(organization.org_id, 'domains')
  const label = proven ? 'Verify again' : 'Verify'
  return (
    <div class="actions">
      {isWaiting ? (
        <a href="#pending">Finish verifying</a>
      ) : (
        renderButton(path, token, label, { domain }, 'plain')
      )}
      {renderButton(`${path}/remove`, token, 'Remove', { domain, [SUBJECT]: domain }, 'plain')}
    </div>
  )
}

/** Renders whether a domain is verified, and when that ends soon. */
function renderProofState(
  { services }: OrganizationRequest,
  { method, proven, valid_until }: Pick<OwnedDomain, 'method' | 'proven' | 'valid_until'>,
): Html {
  if (!proven) return renderBadge('fair', method === 'email' ? 'Not verified' : 'Expired')
  const ending = describeEnding(valid_until, services.reader.now())
  return ending === undefined ? renderBadge('good', 'Verified') : renderBadge('fair', ending)
}

/** Renders who else has verified a domain, if anybody has. */
function renderOthers(context: OrganizationRequest, domain: string): Html | null {
  const sharers = listSharers(context, domain)
  return sharers.length === 0 ? null : (
    <div class="quiet">
      {renderSharers(context, domain, sharers)}. {renderEnding(context, domain, sharers)}
    </div>
  )
}

/** Renders the proofs that were started and can still be finished. */
function renderPending(
  { org, organization, token }: OrganizationRequest,
  { pending }: Domains,
): Child {
  const sectionPath = toSectionPath(organization.org_id, 'domains')
  return renderTable({
    caption: 'Waiting for you to publish the token',
    columns: ['Domain', 'Publish the token in one of these places', 'Expires', 'Action'],
    items: pending,
    empty: 'Nothing pending.',
    render: ({ domain, txt_name, file_url, expires_at }) => [
      renderName(domain),
      <>
        <div>
          TXT record <code>{txt_name}</code>
        </div>
        <div>
          File <code>{file_url}</code>
        </div>
      </>,
      renderMoment(expires_at),
      canEdit(organization) && (
        <div class="actions">
          {renderButton(CHECK_PATH, token, 'Verify now', { domain, ...org })}
          {renderButton(sectionPath, token, 'Get a new token', { domain }, 'plain')}
          {renderButton(`${sectionPath}/cancel`, token, 'Cancel', { domain }, 'plain')}
        </div>
      ),
    ],
  })
}

/** Renders the proofs that were started but not finished in time, each with a way to start again. */
function renderExpired(
  { organization, services, token }: OrganizationRequest,
  { domains }: Domains,
): Child {
  const proven = new Set(domains.flatMap(({ domain, proven }) => (proven ? domain : [])))
  const expired = listExpiredChallenges(services.reader, organization.org_id).filter(
    ({ domain }) => !proven.has(domain),
  )
  if (expired.length === 0) return null
  const table = renderTable({
    caption: 'Not verified in time; the tokens are no longer valid',
    columns: ['Domain', 'Expired', 'Action'],
    items: expired,
    empty: '',
    render: ({ domain, expires_at }) => [
      renderName(domain),
      renderMoment(expires_at),
      canEdit(organization) &&
        renderButton(
          toSectionPath(organization.org_id, 'domains'),
          token,
          'Get a new token',
          { domain },
          'plain',
        ),
    ],
  })
  return renderSection('expired', 'Expired verifications', table)
}

/** Starts the proof of a domain, which leads to its files. */
function verifyDomain(context: OrganizationRequest): Promise<DashboardAnswer> {
  const proof = { domain: context.form.get('domain') ?? '', back: undefined }
  return beginProof(context, proof, refusal => showDomains(context, refusal))
}

/** Field of the choice to stop hosting the files of a domain that is removed. */
const STOP = 'stop'

/** Lists the files of the domain of a form that are hosted here. */
function listHosted({ form, services }: OrganizationRequest) {
  const domain = parseFormDomain(form.get('domain') ?? '')
  if (domain === undefined) return []
  return hostedKinds
    .filter(kind => findHosted(services.reader, kind, domain) !== undefined)
    .map(kind => ({ kind, domain }))
}

function askAboutDomain(context: OrganizationRequest) {
  const agentsNote = 'Agents that you have added stay listed.'
  const sharedNote =
    listSharers(context, context.form.get('domain') ?? '').length > 0
      ? 'Another organization shares these files: if you stop hosting them, they go offline for that organization too. '
      : ''
  const hosted = listHosted(context)
  if (hosted.length === 0) {
    const effect = `To host files for this domain later, your organization has to verify it. ${agentsNote}`
    return { label: 'Remove', effect }
  }
  const effect = `Its hosted files stay online unless you stop hosting them now. To change them or stop hosting them later, you have to verify the domain again. ${sharedNote}${agentsNote}`
  const choice = [STOP, `Stop hosting its ${joinWords(hosted.map(({ kind }) => kind))}`] as const
  return { label: 'Remove', effect, choice }
}

/** Removes a domain from the organization, and its hosted files where that was chosen. */
async function removeDomain(context: OrganizationRequest): Promise<DashboardAnswer> {
  for (const file of context.form.has(STOP) ? listHosted(context) : []) {
    const { refused } = await withdrawFile(context, file)
    if (refused !== undefined) return showDomains(context, { refused })
  }
  return createDelete('', 'domain_removed')(context)
}

function askAboutOthers() {
  const effect =
    'Their owners and admins get an email. Hosted files stay online, but only your organization can change them, until another one verifies the domain again with a new token. So first make sure that nobody there can still edit the site or its DNS.'
  return { label: END_OTHERS, effect }
}

/** Deletes what a form names by its domain, and returns to the list. */
function createDelete(place: string, done: DoneName) {
  return async (context: OrganizationRequest): Promise<DashboardAnswer> => {
    const { callApi, form, org, organization } = context
    const url = `${DOMAINS_URL}/${encodeURIComponent(form.get('domain') ?? '')}${place}`
    const { refused } = await callApi({ method: 'DELETE', url, query: org })
    if (refused !== undefined) return showDomains(context, { refused })
    return { next: toSectionPath(organization.org_id, 'domains'), done }
  }
}

export const domainRoutes: readonly OrganizationRoute[] = [
  { method: 'GET', path: '/domains', handle: context => showDomains(context) },
  { method: 'POST', path: '/domains', handle: verifyDomain },
  {
    method: 'POST',
    path: '/domains/remove',
    handle: confirmFirst(askAboutDomain, removeDomain),
  },
  {
    method: 'POST',
    path: '/domains/end-others',
    handle: confirmFirst(askAboutOthers, createDelete('/others', 'others_ended')),
  },
  { method: 'POST', path: '/domains/cancel', handle: createDelete('/challenge', 'proof_canceled') },
]
