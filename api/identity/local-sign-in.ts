import { findMailPlace } from '../../pipeline/core/mail-place.ts'
import { EMAIL_PROVIDER, EmailAddress } from '../../pipeline/model/accounts/person.ts'
import { toCaller } from '../limits/caller.ts'
import { describeRefusal } from '../pages/describe-refusal.ts'
import { NO_LINKS } from './link-form.tsx'
import { sendLink } from './link-mail.ts'
import { buildOpenPage, buildSentPage, buildSignInError, type SignInPage } from './pages.tsx'
import { describeClient } from './sign-in-request.ts'
import {
  finishLogin,
  registerPerson,
  requirePrompt,
  SIGN_IN_PATH,
  type SignInRoute,
  type Step,
  showSignIn,
} from './sign-in-step.ts'

const PASSKEY_REFUSED =
  'This passkey wasn’t accepted. Try again, or request a link and then check your passkeys.'
const LINK_USED = 'This link has already been used or has expired.'

/** Sends a link to the address in the form, or shows why it cannot be sent. */
async function sendSignInLink(step: Step): Promise<SignInPage> {
  const { signIn, form, request, identity, services } = step
  const { uid } = signIn
  requirePrompt(signIn, 'login')
  const place = findMailPlace(services.config, services.baseUrl())
  if (place === undefined) return showSignIn(step, NO_LINKS)
  const typed = form.get('email') ?? ''
  const email = EmailAddress.safeParse(typed)
  if (!email.success) {
    const fault = describeRefusal('`email` must be an email address', { email: typed })
    return showSignIn(step, fault, typed)
  }
  const links = identity.getLinks(services)
  const token = await links.issue(uid, email.data, toCaller(request.ip))
  if (token === undefined) {
    return showSignIn(step, 'Too many links were requested. Try again in an hour.', typed)
  }
  const url = `${services.baseUrl()}/sign-in/${uid}/open?token=${token}`
  if (!(await sendLink(services, email.data, url))) {
    return showSignIn(step, 'The email couldn’t be sent. Try again later.', typed)
  }
  const { signInLinkMinutes } = services.config.LIMITS
  return buildSentPage(uid, { email: email.data, minutes: signInLinkMinutes, place })
}

/** Shows the button that opens a link, so that a mail scanner that only loads the page does not use it up. */
async function showLink({ signIn, request, identity, services }: Step): Promise<SignInPage> {
  const { uid } = signIn
  const { token } = request.query as { token?: unknown }
  if (typeof token !== 'string') return buildSignInError(LINK_USED)
  const email = await identity.getLinks(services).find(uid, token)
  return email === undefined
    ? buildSignInError(LINK_USED)
    : buildOpenPage(uid, await describeClient(signIn, services), { token, email })
}

/** Opens a link: registers the person if they are new, and completes the login. */
async function openLink(step: Step): Promise<SignInPage> {
  const { signIn, form, identity, services } = step
  requirePrompt(signIn, 'login')
  const email = await identity.getLinks(services).use(signIn.uid, form.get('token') ?? '')
  if (email === undefined) return buildSignInError(LINK_USED)
  const userId = await registerPerson(step, {
    provider: EMAIL_PROVIDER,
    subject: email,
    email,
    name: null,
  })
  return finishLogin(step, userId, 'email')
}

/** Signs in the person whose passkey answered the challenge of this sign-in. */
async function signInWithPasskey(step: Step): Promise<SignInPage> {
  const { signIn, form, identity, services } = step
  requirePrompt(signIn, 'login')
  const credential = form.get('credential') ?? ''
  const userId = await identity.getPasskeys(services)?.signIn(signIn.uid, credential)
  if (userId === undefined) return showSignIn(step, PASSKEY_REFUSED)
  return finishLogin(step, userId, 'pop')
}

/** Routes for registries that sign people in themselves, by a link or a passkey. */
export const localRoutes: readonly SignInRoute[] = [
  { method: 'POST', path: `${SIGN_IN_PATH}/link`, handle: sendSignInLink },
  { method: 'GET', path: `${SIGN_IN_PATH}/open`, handle: showLink },
  { method: 'POST', path: `${SIGN_IN_PATH}/open`, handle: openLink },
  { method: 'POST', path: `${SIGN_IN_PATH}/passkey`, handle: signInWithPasskey },
]
