import { randomUUID } from 'node:crypto'
import type { Membership } from '../../pipeline/model/identity.ts'
import type { Services } from '../operation/services.ts'
import { HTML, pageHeaders } from '../pages/headers.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText, renderCoded, renderName } from '../pages/html/text.tsx'
import { renderDocument, renderTabs } from '../pages/parts/document.tsx'
import { ONCE_FIELD, TOKEN_FIELD } from './form-tokens.ts'

/** A page of the dashboard, or the page that follows a form. */
export type DashboardAnswer =
  | {
      status: number
      title: string
      /** Heading that the frame renders, with what was just done below it; other pages have their own. */
      heading?: Child
      body: Html
      hasPasskeys?: boolean
      cookie?: SetCookie
      /** Seconds after which the page renews itself. */
      refreshSeconds?: number
    }
  /** A picture, for a page that shows it. */
  | { picture: Buffer; type: string }
  /** `done` names the notice that the next page shows. */
  | { next: string; done?: DoneName; cookie?: SetCookie }

/** Value of a `Set-Cookie` header, if any. */
type SetCookie = string | undefined

/** Headers of a picture that only the dashboard shows: browsers must neither run nor cache it. */
export const pictureHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}

const headers = {
  ...pageHeaders,
  'content-type': HTML,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  // With this policy a form sends its origin, and other sites learn nothing.
  'referrer-policy': 'same-origin',
}

/** Path at which a form ends the session, and the page that follows. */
export const SIGN_OUT_PATH = '/dashboard/sign-out'
export const SIGNED_OUT_PATH = '/dashboard/signed-out'

/** Notices about what was just done, by the value of `done` in the address. */
export const doneTexts = {
  organization:
    'Organization created. Verify a domain to host its files here; create a key under Keys to call the API.',
  revoked: 'Key revoked. It no longer works.',
  enrolled: 'Agent added. Its first test starts within a few minutes.',
  enrolled_http:
    'Agent added. Its URL begins with http://, but files have to list agents with https://.',
  changed: 'Agent updated.',
  removed: 'Agent removed.',
  credential: 'Credential saved. The next test will use it.',
  credential_removed: 'Credential removed. The agent will be tested without one.',
  domain_removed: 'Domain removed from your organization.',
  others_ended: 'Other verifications of the domain have ended.',
  proof_canceled: 'Verification canceled. Its token is no longer valid.',
  proven: 'Domain verified.',
  proven_open: 'Domain verified. You can now host its files below.',
  proven_serving:
    'Domain verified. It serves its own files, so there is nothing to host here. You can check and watch them below. To let an agent sell your ads, name it in your adagents.json.',
  proven_only:
    'Domain verified. Another organization has also verified it, so you share its hosted files and can’t add its agents.',
  verified_published: 'Domain verified. Your file is now hosted at the URL below.',
  published: 'The adagents.json is now hosted at the URL below.',
  brand_published: 'The brand.json is now hosted at the URL below.',
  saved: 'Change published: the new adagents.json is hosted at the URL below.',
  brand_saved: 'Change published: the new brand.json is hosted at the URL below.',
  draft_discarded: 'Draft discarded. It was never published.',
  withdrawn: 'Hosting stopped: the adagents.json is no longer served here.',
  brand_withdrawn: 'Hosting stopped: the brand.json is no longer served here.',
  pending: 'Saved. A moderator will review the name before it is shown.',
  points_here: 'The domain points to its hosted file. If the pointer is new, a crawl is scheduled.',
  rolled_back: 'Version restored. The adagents.json is hosted at the URL below.',
  brand_rolled_back: 'Version restored. The brand.json is hosted at the URL below.',
  restored: 'Version restored. It has no file to host.',
  ended: 'Access revoked.',
  passkey: 'Passkey created. You can now sign in with it.',
  passkey_removed: 'Passkey removed. It no longer works.',
  uninvited: 'Invitation revoked. The invitation’s link stops working.',
  role_changed: 'Role changed.',
  person_removed: 'Person removed. They no longer have access.',
  approved: 'Submission approved.',
  rejected: 'Submission rejected. Your reason is stored with it.',
  renamed: 'Organization renamed.',
  organization_deleted: 'Organization deleted. Its keys no longer work.',
  left: 'You have left the organization.',
  member: 'Your organization is now a member.',
  watched: 'Watch added. You’ll get emails about changes.',
  watch_changed: 'Watch updated.',
  unwatched: 'Watch removed.',
  webhook_changed: 'Webhook updated. The next deliveries follow the new filters.',
  webhook_resumed: 'Webhook resumed. It continues where it stopped.',
  webhook_deleted: 'Webhook deleted. Nothing more will be sent there.',
  joined_owner: 'You’re now an owner of the organization.',
  joined_admin: 'You’re now an admin of the organization.',
  joined_member: 'You’re now a member of the organization.',
  joined_viewer: 'You’re now a viewer of the organization.',
} as const
export type DoneName = keyof typeof doneTexts

/** Frame of a page: who is signed in, where they are, and what was done before. */
interface Frame {
  who: string
  path: string
  token: string
  /** True if people sign in at an OpenID provider, so that there are no passkeys. */
  signsInElsewhere: boolean
  /** True if the registry can write to people, without which nothing can be watched. */
  sendsMail: boolean
  /** True for moderators. */
  canReview: boolean
  organization?: Membership | undefined
  /** Sentence for people who may only view the organization. */
  viewing: Child
  done?: string | undefined
  hasPasskeys?: boolean | undefined
}

const sections = [
  ['domains', 'Domains'],
  ['people', 'People'],
  ['keys', 'Keys'],
  ['webhooks', 'Webhooks'],
  ['agents', 'Agents'],
  ['entries', 'Hosted files'],
  ['usage', 'Usage'],
  ['audit', 'Audit log'],
  ['settings', 'Settings'],
] as const

/** Pages that belong to a section without being below it. */
export const actingPages: Partial<Record<(typeof sections)[number][0], string>> = {
  domains: 'verify',
  agents: 'agents',
  entries: 'publish',
}

export function toSectionPath(orgId: string, section: (typeof sections)[number][0]): string {
  return `/dashboard/org/${encodeURIComponent(orgId)}/${section}`
}

/** Builds the path of the page with what is saved about a domain. */
export function toEntryPath(orgId: string, domain: string): string {
  return `${toSectionPath(orgId, 'entries')}?${new URLSearchParams({ domain })}`
}

/** Builds the whole page with its headers. */
export function buildDashboardPage(
  { title, status, heading, body }: { title: string; status: number; heading?: Child; body: Html },
  frame: Frame,
  services: Services,
) {
  const { done, hasPasskeys, organization, viewing } = frame
  const content = (
    <>
      {organization === undefined ? null : (
        <p class="kicker">
          {renderName(organization.org_name)} · {organization.role}
        </p>
      )}
      {heading === undefined ? null : <h1>{heading}</h1>}
      {viewing}
      {done !== undefined && Object.hasOwn(doneTexts, done) ? (
        <p class="notice good" role="status">
          {doneTexts[done as DoneName]}
        </p>
      ) : null}
      {body}
    </>
  )
  const description = 'Keys, domains, agents and people of your organization.'
  const tabs = renderSections(frame)
  const account = renderAccount(frame)
  const view = { title, description, body: content, tabs, account, hasPasskeys }
  return { status, headers, body: renderDocument(view, services, frame.path) }
}

/** Renders the pages of the organization. */
function renderSections(frame: Frame): Html {
  const { organization } = frame
  return renderTabs(
    'Dashboard',
    <ul>
      {renderPlace('/dashboard', 'Organizations', frame)}
      {organization === undefined
        ? null
        : sections.map(([section, name]) =>
            renderPlace(
              toSectionPath(organization.org_id, section),
              name,
              frame,
              `/dashboard/${actingPages[section] ?? section}`,
            ),
          )}
    </ul>,
  )
}

/** Renders the pages of the account below the address of the person. */
function renderAccount(frame: Frame): Html {
  const { who, token, sendsMail, canReview, signsInElsewhere } = frame
  return (
    <details class="account">
      <summary>Account</summary>
      <div>
        <p>
          Signed in as <bdi>{clipText(who, 120)}</bdi>
        </p>
        <nav aria-label="Your account">
          <ul>
            {renderPlace('/dashboard/access', 'Applications', frame)}
            {sendsMail ? renderPlace('/dashboard/watches', 'Watching', frame) : null}
            {canReview ? renderPlace('/dashboard/reviews', 'Reviews', frame) : null}
            {signsInElsewhere ? null : renderPlace('/dashboard/passkeys', 'Passkeys', frame)}
          </ul>
        </nav>
        <form method="post" action={SIGN_OUT_PATH}>
          {renderToken(token)}
          <button type="submit" class="plain">
            Sign out
          </button>
        </form>
      </div>
    </details>
  )
}

/** Renders a link of the tabs or the account, marked on its own page and on those below it or `acting`. */
function renderPlace(address: string, name: string, { path }: Frame, acting = address): Html {
  const isHere =
    path === address ||
    (address !== '/dashboard' &&
      [address, acting].some(own => path === own || path.startsWith(`${own}/`)))
  return (
    <li>
      <a href={address} aria-current={isHere ? 'page' : undefined}>
        {name}
      </a>
    </li>
  )
}

export function renderToken(token: string): Html {
  return <input type="hidden" name={TOKEN_FIELD} value={token} />
}

/** Renders the fields of a form whose answer shows a secret once: its token, and what makes it count once. */
export function renderOnce(token: string): Html {
  return (
    <>
      {renderToken(token)}
      {renderHidden({ [ONCE_FIELD]: randomUUID() })}
    </>
  )
}

type HiddenFields = Readonly<Record<string, string | undefined>>

/** Renders fields that a form sends along; those without a value are left out. */
export function renderHidden(fields: HiddenFields): Child {
  return Object.entries(fields).map(([name, value]) =>
    value === undefined ? null : <input type="hidden" name={name} value={value} />,
  )
}

/** Renders a form of one button. */
export function renderButton(
  action: string,
  token: string,
  label: string,
  fields: HiddenFields = {},
  className?: 'plain',
): Html {
  return (
    <form method="post" action={action} class="single">
      {renderToken(token)}
      {renderHidden(fields)}
      <button type="submit" class={className}>
        {label}
      </button>
    </form>
  )
}

/** Renders why a form was refused, with what does first what is missing; `fair` is for what only has to wait. */
export function renderFault(
  fault: string | undefined,
  remedy?: Html,
  look: 'bad' | 'fair' = 'bad',
): Child {
  if (fault === undefined) return null
  return (
    <div class={`notice ${look}`} role="alert">
      <p>{renderCoded(fault, 500)}</p>
      {remedy ?? null}
    </div>
  )
}
