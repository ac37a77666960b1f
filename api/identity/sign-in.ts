import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { requireValue } from '../../pipeline/core/present.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import { toCaller } from '../limits/caller.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import { keepClient } from './client-records.ts'
import type { Identity } from './identity.ts'
import { localRoutes } from './local-sign-in.ts'
import { buildConsentPage, buildSignInError, type SignInPage, sendSignInPage } from './pages.tsx'
import { withBrowser } from './pending-requests.ts'
import {
  describeClient,
  findSignInRequest,
  type Interaction,
  requireOwnForm,
} from './sign-in-request.ts'
import {
  finish,
  requirePrompt,
  SIGN_IN_PATH,
  type SignInRoute,
  type Step,
  showSignIn,
} from './sign-in-step.ts'
import { findSignInOfState, RETURN_PATH } from './upstream.ts'
import { upstreamRoutes } from './upstream-sign-in.ts'

const FORM_BYTES_MAX = 16_384

/** The missing part of a consent, as the library lists it. */
interface Missing {
  missingOIDCScope?: string[]
  missingOIDCClaims?: string[]
  missingResourceScopes?: Record<string, string[]>
}

/** Routes of every sign-in. */
const routes: readonly SignInRoute[] = [
  { method: 'GET', path: SIGN_IN_PATH, handle: showRequest },
  { method: 'POST', path: `${SIGN_IN_PATH}/consent`, handle: giveConsent },
  { method: 'POST', path: `${SIGN_IN_PATH}/cancel`, handle: cancel },
]

export const signInPaths: readonly RoutePath[] = [
  ...routes,
  ...localRoutes,
  ...upstreamRoutes,
  { method: 'GET', path: RETURN_PATH },
]

const REQUEST_ENDED =
  'This link has already been used or has expired, or it was opened in another browser. If an application sent you here, start again there.'
const OTHER_WAY =
  'This registry uses a different way to sign in. Go back to the application and start again.'

/** Adds the pages on which people sign in and consent. Each belongs to one request, and to the browser that made it. */
export function addSignIn(scope: FastifyInstance, identity: Identity, services: Services): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  )
  const config = { operation: 'signIn', isPage: true } as const
  const hasUpstream = identity.getUpstream(services) !== undefined
  const [open, closed] = hasUpstream ? [upstreamRoutes, localRoutes] : [localRoutes, upstreamRoutes]
  const send = (reply: FastifyReply, page: SignInPage) => sendSignInPage(reply, page, services)
  for (const { method, path, handle } of [...routes, ...open]) {
    scope.route({
      method,
      url: path,
      config,
      handler: async (request, reply) => {
        if (method === 'POST') requireOwnForm(request, services.baseUrl())
        const answer = () => answerStep(handle, { request, reply, identity, services })
        return send(reply, await withBrowser(request, reply, answer))
      },
    })
  }
  for (const { method, path } of closed) {
    const handler = (_: FastifyRequest, reply: FastifyReply) =>
      send(reply, buildSignInError(OTHER_WAY, 404))
    scope.route({ method, url: path, config, handler })
  }
  scope.get(RETURN_PATH, { config }, async (request, reply) => {
    const uid = findSignInOfState((request.query as { state?: unknown }).state)
    if (uid === undefined) return send(reply, buildSignInError(REQUEST_ENDED))
    // The cookie of a sign-in is sent only below its own address.
    return reply.redirect(`/sign-in/${uid}/return${new URL(request.url, 'http://_').search}`, 303)
  })
}

/** Answers a request to a page. A form is the first that makes the registry store something, so forms are limited. */
async function answerStep(
  handle: SignInRoute['handle'],
  context: Pick<Step, 'request' | 'reply' | 'identity' | 'services'>,
): Promise<SignInPage> {
  const { request, reply, identity, services } = context
  const provider = await identity.getProvider(services)
  const signIn = await findSignInRequest(provider, request, reply, services)
  if (signIn === undefined) return buildSignInError(REQUEST_ENDED)
  if (request.method === 'POST') {
    const { signInFormsPerCallerHour, signInFormsPerHour } = services.config.LIMITS
    await identity.requireRoom()
    await identity.countOrRefuse(
      [`forms:${toCaller(request.ip)}`, signInFormsPerCallerHour],
      ['forms', signInFormsPerHour],
    )
  }
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  return handle({ ...context, signIn, form })
}

/** Shows what the request waits for: the sign-in of its person, or their consent. */
async function showRequest(step: Step): Promise<SignInPage> {
  const { signIn, services } = step
  const { interaction, uid } = signIn
  if (interaction.prompt.name === 'login') return showSignIn(step)
  const client = await describeClient(signIn, services)
  const person = findPerson(services.reader, interaction.session?.accountId ?? '')
  if (person === undefined) return buildSignInError(REQUEST_ENDED)
  const scopes = new Set(String(interaction.params.scope ?? '').split(' '))
  return buildConsentPage(uid, client, person.email ?? person.name ?? person.user_id, scopes)
}

async function giveConsent(step: Step): Promise<SignInPage> {
  requirePrompt(step.signIn, 'consent')
  const { provider, interaction } = step.signIn
  await keepClient(String(interaction.params.client_id), step.services)
  const grantId = await storeConsent(provider, interaction)
  return finish(step, { consent: { grantId } })
}

/** Stores the consent of a person to everything that an application asks for, and returns the id of the grant. */
async function storeConsent(provider: Provider, interaction: Interaction): Promise<string> {
  const { grantId, params, session, prompt } = interaction
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant =
    known ??
    new provider.Grant({
      accountId: requireValue(session, 'session').accountId,
      clientId: String(params.client_id),
    })
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as Missing
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims)
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '))
  }
  return grant.save()
}

function cancel(step: Step): Promise<SignInPage> {
  return finish(step, { error: 'access_denied', error_description: 'the person declined' })
}
