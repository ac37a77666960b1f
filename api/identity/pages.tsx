import type { FastifyReply } from 'fastify'
import { countThings } from '../../pipeline/core/counts.ts'
import type { MailPlace } from '../../pipeline/core/mail-place.ts'
import type { Services } from '../operation/services.ts'
import { HTML, pageHeaders } from '../pages/headers.ts'
import { Fragment, type Html, h } from '../pages/html/jsx.ts'
import { clipText } from '../pages/html/text.tsx'
import { renderDocument } from '../pages/parts/document.tsx'
import { renderProblem } from '../pages/parts/problem.tsx'
import type { View } from '../pages/view.ts'
import { renderLinkForm } from './link-form.tsx'
import { renderPasskeyForm } from './passkey-form.tsx'

/** A page of sign-in, to be sent once. */
export interface SignInPage {
  status: number
  view: View
  headers: Record<string, string>
}

/** Sends a page of sign-in in the document that all pages of the registry have. */
export function sendSignInPage(
  reply: FastifyReply,
  { status, view, headers }: SignInPage,
  services: Services,
): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(renderDocument(view, services, undefined))
}

/** The application that a person signs in to, as pages show it. */
export interface ClientShown {
  name: string
  /** The host that the person is sent to afterwards, or the scheme of an app on their device. */
  returnsTo: string
  /** Purpose of a sign-in to the registry's own pages, as the ending of “Sign in to …”; empty if the heading says all. */
  purpose?: string
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

function buildPage(
  status: number,
  title: string,
  content: Html,
  { hasPasskeys, ...more }: { hasPasskeys?: boolean; refresh?: string } = {},
): SignInPage {
  const description = 'Sign in to the registry of agentic advertising.'
  const body = <section class="sign-in">{content}</section>
  const view = { title, description, body, hasPasskeys }
  return { status, view, headers: { ...headers, ...more } }
}

function renderClient({ name, returnsTo, purpose }: ClientShown): Html | null {
  if (purpose === '') return null
  if (purpose !== undefined) return <p class="lead">Sign in to {clipText(purpose, 200)}.</p>
  return (
    <p class="lead">
      Sign in to continue to{' '}
      <strong>
        <bdi>{clipText(name, 80)}</bdi>
      </strong>{' '}
      at <code>{clipText(returnsTo, 120)}</code>.
    </p>
  )
}

function renderCancel(uid: string): Html {
  return (
    <form method="post" action={`/sign-in/${uid}/cancel`}>
      <button type="submit" class="plain">
        Cancel
      </button>
    </form>
  )
}

interface LocalSignIn {
  /** Sentence about the last attempt, if it failed. */
  fault?: string | undefined
  /** Address that was entered then. */
  email?: string | undefined
  /** Options with which a browser signs in with a passkey. */
  passkey?: string | undefined
  /** Place in which the link will be; undefined where none can be sent. */
  place: MailPlace | undefined
}

/** Builds the page on which a person signs in. */
export function buildSignInPage(
  uid: string,
  client: ClientShown,
  { fault, email, passkey, place }: LocalSignIn,
): SignInPage {
  return buildPage(
    fault === undefined ? 200 : 400,
    'Sign in',
    <>
      <h1>Sign in</h1>
      {renderClient(client)}
      {renderLinkForm(uid, { fault, email, place })}
      {passkey === undefined
        ? null
        : renderPasskeyForm({
            action: `/sign-in/${uid}/passkey`,
            ceremony: 'get',
            options: passkey,
            button: (
              <button type="submit" class="plain">
                Sign in with a passkey
              </button>
            ),
          })}
      {renderCancel(uid)}
    </>,
    { hasPasskeys: passkey !== undefined },
  )
}

/**
 * Builds the page that leads to the OpenID provider, which people know as `name`. `fault` says what was wrong
 * with the last attempt.
 */
export function buildUpstreamPage(
  uid: string,
  client: ClientShown,
  { name, fault }: { name: string; fault?: string | undefined },
): SignInPage {
  return buildPage(
    fault === undefined ? 200 : 400,
    'Sign in',
    <>
      <h1>Sign in</h1>
      {renderClient(client)}
      <form method="post" action={`/sign-in/${uid}/upstream`}>
        {fault === undefined ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <button type="submit">Continue with {name}</button>
        <p class="hint">You’ll sign in there and return here.</p>
      </form>
      {renderCancel(uid)}
    </>,
  )
}

/** Builds the page that says where the link is: in a mail, or in the terminal of a registry that sends none. */
export function buildSentPage(
  uid: string,
  { email, minutes, place }: { email: string; minutes: number; place: MailPlace },
): SignInPage {
  const title = place === 'mail' ? 'Check your email' : 'Open your link'
  return buildPage(
    200,
    title,
    <>
      <h1>{title}</h1>
      <p class="lead">
        {place === 'mail' ? (
          <>
            A link is on its way to <bdi>{email}</bdi>.
          </>
        ) : (
          <>
            The link for <bdi>{email}</bdi> is in the terminal that runs <code>npm start</code>.
          </>
        )}{' '}
        Open it within {countThings(minutes, 'minute')}.
      </p>
      <p class="hint">It works once, only in the browser where you requested it.</p>
      <div class="actions">
        <form method="post" action={`/sign-in/${uid}/link`}>
          <input type="hidden" name="email" value={email} />
          <button type="submit" class="plain">
            {place === 'mail' ? 'Send' : 'Get'} another link
          </button>
        </form>
        <a href={`/sign-in/${uid}`}>Use another email address</a>
      </div>
    </>,
  )
}

/**
 * Builds the page that a link opens. Only the button on it signs in, so loading the page does not use up the
 * link.
 */
export function buildOpenPage(
  uid: string,
  client: ClientShown,
  { token, email }: { token: string; email: string },
): SignInPage {
  return buildPage(
    200,
    'Sign in',
    <>
      <h1>Sign in</h1>
      {renderClient(client)}
      <p>
        Continue as <bdi>{clipText(email, 120)}</bdi>.
      </p>
      <form method="post" action={`/sign-in/${uid}/open`}>
        <input type="hidden" name="token" value={token} />
        <button type="submit">Sign in</button>
      </form>
    </>,
  )
}

const meanings = [
  ['openid', 'Your ID in this registry'],
  ['profile', 'Your name'],
  ['email', 'Your email address'],
] as const

/** Builds the page on which a person consents. */
export function buildConsentPage(
  uid: string,
  client: ClientShown,
  who: string,
  scopes: ReadonlySet<string>,
): SignInPage {
  return buildPage(
    200,
    'Allow access',
    <>
      <h1>Allow access</h1>
      {renderClient(client)}
      <p>
        You’re signed in as <bdi>{clipText(who, 120)}</bdi>. If you allow access, this application
        can act here with your permissions for up to six months. It will see:
      </p>
      <ul>{meanings.map(([scope, text]) => (scopes.has(scope) ? <li>{text}</li> : null))}</ul>
      <p class="hint">
        Applications choose their own names. Allow this one only if you have just started it
        yourself.
      </p>
      <form method="post" action={`/sign-in/${uid}/consent`}>
        <button type="submit">Allow</button>
      </form>
      {renderCancel(uid)}
    </>,
  )
}

/**
 * Builds the page that sends the browser on. It is a page with a `Refresh` header instead of a redirect,
 * because browsers apply `form-action 'self'` to redirects after a form, and the last one leads to the
 * application.
 */
export function buildContinuePage(address: string): SignInPage {
  return buildPage(
    200,
    'One moment',
    <>
      <h1>One moment</h1>
      <p class="lead">
        <a href={address}>Continue</a>
      </p>
    </>,
    { refresh: `0; url=${address}` },
  )
}

/**
 * Builds the page after a sign-out, or after the account was deleted. The person may still be signed in at the
 * provider, so it links to the sign-out there.
 */
export function buildSignedOutPage(
  upstream: { name: string; address: string | undefined } | undefined,
  isDeleted: boolean,
): SignInPage {
  const { name, address } = upstream ?? {}
  const title = isDeleted ? 'Account deleted' : 'Signed out'
  return buildPage(
    200,
    title,
    <>
      <h1>{title}</h1>
      <p class="lead">
        {isDeleted
          ? 'Your account has been deleted, and you’re signed out everywhere.'
          : 'You’ve signed out.'}
        {name === undefined ? null : ` You may still be signed in at ${name}.`}
      </p>
      {address === undefined ? null : (
        <p>
          <a href={address} rel="noreferrer">
            Sign out of {name}
          </a>
        </p>
      )}
      <p>{isDeleted ? <a href="/">Home</a> : <a href="/dashboard">Sign in again</a>}</p>
    </>,
  )
}

/** Builds the page that says why a sign-in failed. */
export function buildSignInError(text: string, status = 400): SignInPage {
  return buildPage(
    status,
    'Not signed in',
    <>
      {renderProblem('Not signed in', text)}
      <p>
        <a href="/dashboard">Get a new link</a>
      </p>
    </>,
  )
}
