import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import { refuse } from '../../pipeline/core/errors.ts'
import { findMailPlace } from '../../pipeline/core/mail-place.ts'
import type { OperationOf } from '../../pipeline/model/submission.ts'
import type { Services } from '../operation/services.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import type { Identity } from './identity.ts'
import { buildContinuePage, buildSignInPage, buildUpstreamPage, type SignInPage } from './pages.tsx'
import { describeClient, type SignInRequest } from './sign-in-request.ts'

export const SIGN_IN_PATH = '/sign-in/:uid'

/** One request of a sign-in, with the authorization request that it belongs to. */
export interface Step {
  request: FastifyRequest
  reply: FastifyReply
  signIn: SignInRequest
  form: URLSearchParams
  identity: Identity
  services: Services
}

/** A route of the sign-in. */
export type SignInRoute = RoutePath & { handle(step: Step): Promise<SignInPage> }

/**
 * Shows the page on which a person signs in: by a link or a passkey, or at the OpenID provider of the
 * settings. `fault` says what was wrong with the last attempt, in which `email` was entered.
 */
export async function showSignIn(
  { signIn, identity, services }: Step,
  fault?: string,
  email?: string,
): Promise<SignInPage> {
  const { uid } = signIn
  const client = await describeClient(signIn, services)
  const upstream = identity.getUpstream(services)
  if (upstream !== undefined) return buildUpstreamPage(uid, client, { fault, name: upstream.name })
  const passkey = await identity.getPasskeys(services)?.buildSignIn(uid)
  const place = findMailPlace(services.config, services.baseUrl())
  return buildSignInPage(uid, client, { fault, email, passkey, place })
}

/** Registers the person whom a provider identified, unless they are known already, and returns their id. */
export async function registerPerson(
  { services }: Step,
  person: Omit<OperationOf<'person.enter'>, 'op' | 'user_id' | 'email_verified'>,
): Promise<string> {
  const email_verified = person.email !== null
  const operation = {
    op: 'person.enter',
    user_id: randomUUID(),
    ...person,
    email_verified,
  } as const
  const answer = await services.writer.submit(operation, {
    by: { kind: 'registry', id: 'sign-in' },
  })
  return 'refused' in answer ? refuse('conflict', answer.refused) : String(answer.done.user_id)
}

/**
 * Completes the login and signs out anybody else who was signed in in this browser. `method` is how the
 * person proved who they are (`amr`, RFC 8176), if the registry knows.
 */
export async function finishLogin(
  step: Step,
  accountId: string,
  method?: string,
): Promise<SignInPage> {
  const { provider, interaction } = step.signIn
  const { session } = interaction
  if (session !== undefined && session.accountId !== accountId) {
    const context = provider.createContext(step.request.raw, step.reply.raw)
    const other = await provider.Session.get(context as never)
    await other.destroy()
    interaction.session = undefined
    await interaction.persist()
  }
  return finish(step, { login: { accountId, ...(method !== undefined && { amr: [method] }) } })
}

/** Passes a result to the authorization server and sends the browser on. */
export async function finish({ signIn, request, reply }: Step, result: InteractionResults) {
  const { provider } = signIn
  return buildContinuePage(await provider.interactionResult(request.raw, reply.raw, result))
}

/** Refuses a form that does not belong to the current prompt: nobody consents before they have signed in. */
export function requirePrompt({ interaction }: SignInRequest, prompt: 'login' | 'consent'): void {
  if (interaction.prompt.name !== prompt)
    refuse('invalid_request', 'this sign-in is at another step')
}
