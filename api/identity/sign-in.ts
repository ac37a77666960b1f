import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import { refuse } from '../../pipeline/core/errors.ts'
import { EMAIL_PROVIDER, EmailAddress } from '../../pipeline/model/accounts/person.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import { toCaller } from '../limits/caller.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { storeConsent } from './consent.ts'
import type { Identity } from './identity.ts'
import { canSendLinks, sendLink } from './link-mail.ts'
import {
  buildConsentPage,
  buildContinuePage,
  buildOpenPage,
  buildSentPage,
  buildSignInError,
  buildSignInPage,
  type SignInPage,
} from './pages.tsx'
import {
  describeClient,
  findSignInRequest,
  requireOwnForm,
  type SignInRequest,
} from './sign-in-request.ts'

const SIGN_IN_PATH = '/sign-in/:uid'
const FORM_BYTES_MAX = 16_384

/** One step of a sign-in: the request that it belongs to, the form that was sent, and the services. */
interface Step {
  request: FastifyRequest
  reply: FastifyReply
  signIn: SignInRequest
  form: URLSearchParams
  identity: Identity
  services: Services
}

type StepHandler = (step: Step) => Promise<SignInPage>

const steps: readonly (RoutePath & { handle: StepHandler })[] = [
  { method: 'GET', path: SIGN_IN_PATH, handle: showRequest },
  { method: 'POST', path: `${SIGN_IN_PATH}/link`, handle: sendSignInLink },
  { method: 'GET', path: `${SIGN_IN_PATH}/open`, handle: showLink },
  { method: 'POST', path: `${SIGN_IN_PATH}/open`, handle: openLink },
  { method: 'POST', path: `${SIGN_IN_PATH}/passkey`, handle: signInWithPasskey },
  { method: 'POST', path: `${SIGN_IN_PATH}/consent`, handle: giveConsent },
  { method: 'POST', path: `${SIGN_IN_PATH}/cancel`, handle: cancel },
]

export const signInPaths: readonly RoutePath[] = steps

/** Adds the pages on which people sign in and consent. Each belongs to one request, and to the browser that made it. */
export function addSignIn(scope: FastifyInstance, identity: Identity, services: Services): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  )
  for (const { method, path, handle } of steps) {
    scope.route({
      method,
      url: path,
      exposeHeadRoute: false,
      config: { operation: 'signIn', isPage: true },
      handler: async (request, reply) => {
        if (method === 'POST') requireOwnForm(request, services.baseUrl())
        const provider = await identity.getProvider(services)
        const signIn = await findSignInRequest(provider, request, reply, services)
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const page =
          signIn === undefined
            ? buildSignInError(REQUEST_ENDED)
            : await handle({ request, reply, signIn, form, identity, services })
        return reply.code(page.status).headers(page.headers).send(page.body)
      },
    })
  }
}

const REQUEST_ENDED =
  'This sign-in has ended, or was begun in another browser. Go back to the application and begin again.'
const PASSKEY_REFUSED =
  'This passkey was not accepted. Try once more, or ask for a link and look at your passkeys.'
const LINK_USED = 'This link has been used, or is too old. Ask for another one.'

/** Shows what the request waits for: that its person signs in, or consents. */
async function showRequest(step: Step): Promise<SignInPage> {
  const { signIn, services } = step
  const { interaction, uid } = signIn
  if (interaction.prompt.name === 'login') return askWho(step)
  const client = await describeClient(signIn)
  const person = findPerson(services.reader, interaction.session?.accountId ?? '')
  if (person === undefined) return buildSignInError(REQUEST_ENDED)
  const scopes = new Set(String(interaction.params.scope ?? '').split(' '))
  return buildConsentPage(uid, client, person.email ?? person.name ?? person.user_id, scopes)
}

/** Asks who the person is: by a link or by a passkey. `fault` is what was wrong with the last attempt. */
async function askWho({ signIn, identity, services }: Step, fault?: string): Promise<SignInPage> {
  const passkey = await identity.getPasskeys(services)?.buildSignIn(signIn.uid)
  return buildSignInPage(signIn.uid, await describeClient(signIn), { fault, passkey })
}

/** Sends a link to the address in the form; the page shows what is wrong where that is not possible. */
async function sendSignInLink(step: Step): Promise<SignInPage> {
  const { signIn, form, request, identity, services } = step
  const { uid } = signIn
  requirePrompt(signIn, 'login')
  if (!canSendLinks(services)) return askWho(step, 'This registry sends no mail yet.')
  const email = EmailAddress.safeParse(form.get('email') ?? '')
  if (!email.success) return askWho(step, 'This is no e-mail address.')
  const links = identity.getLinks(services)
  const token = await links.issue(uid, email.data, toCaller(request.ip))
  if (token === undefined) {
    return askWho(step, 'Too many links were asked for. Try again in an hour.')
  }
  const url = `${services.baseUrl()}/sign-in/${uid}/open?token=${token}`
  if (!(await sendLink(services, email.data, url))) {
    return askWho(step, 'The mail could not be sent. Try again later.')
  }
  return buildSentPage(email.data, services.config.LIMITS.signInLinkMinutes)
}

/** Shows the button that opens a link: a mail scanner that only reads the page uses nothing up. */
async function showLink({ signIn, request }: Step): Promise<SignInPage> {
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' ? buildOpenPage(signIn.uid, token) : buildSignInError(LINK_USED)
}

/** Opens a link: registers its person if they are new, and ends the login. */
async function openLink(step: Step): Promise<SignInPage> {
  const { signIn, form, identity, services } = step
  requirePrompt(signIn, 'login')
  const email = await identity.getLinks(services).use(signIn.uid, form.get('token') ?? '')
  if (email === undefined) return buildSignInError(LINK_USED)
  const answer = await services.writer.submit(
    {
      op: 'person.enter',
      user_id: randomUUID(),
      provider: EMAIL_PROVIDER,
      subject: email,
      email,
      email_verified: true,
      name: null,
    },
    { by: { kind: 'registry', id: 'sign-in' } },
  )
  if ('refused' in answer) return refuse('conflict', answer.refused)
  return finishLogin(step, String(answer.done.user_id), 'email')
}

/** Signs the person in whose passkey has answered the challenge of this sign-in. */
async function signInWithPasskey(step: Step): Promise<SignInPage> {
  const { signIn, form, identity, services } = step
  requirePrompt(signIn, 'login')
  const credential = form.get('credential') ?? ''
  const userId = await identity.getPasskeys(services)?.signIn(signIn.uid, credential)
  if (userId === undefined) return askWho(step, PASSKEY_REFUSED)
  return finishLogin(step, userId, 'pop')
}

/**
 * Ends the login; `method` is how the person proved who they are (`amr`, RFC 8176). Another person who was
 * signed in in this browser is signed out.
 */
async function finishLogin(step: Step, accountId: string, method: string): Promise<SignInPage> {
  const { provider, interaction } = step.signIn
  const { session } = interaction
  if (session !== undefined && session.accountId !== accountId) {
    const context = provider.createContext(step.request.raw, step.reply.raw)
    const other = await provider.Session.get(context as never)
    await other.destroy()
    interaction.session = undefined
    await interaction.persist()
  }
  return finish(step, { login: { accountId, amr: [method] } })
}

async function giveConsent(step: Step): Promise<SignInPage> {
  requirePrompt(step.signIn, 'consent')
  const { provider, interaction } = step.signIn
  const grantId = await storeConsent(provider, interaction)
  return finish(step, { consent: { grantId } })
}

function cancel(step: Step): Promise<SignInPage> {
  return finish(step, { error: 'access_denied', error_description: 'the person declined' })
}

async function finish({ signIn, request, reply }: Step, result: InteractionResults) {
  const { provider } = signIn
  return buildContinuePage(await provider.interactionResult(request.raw, reply.raw, result))
}

/** Refuses a form of another step: nobody consents before they have signed in. */
function requirePrompt({ interaction }: SignInRequest, prompt: 'login' | 'consent'): void {
  if (interaction.prompt.name !== prompt) refuse('invalid_request', 'this is another step')
}
