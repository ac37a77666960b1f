import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { refuse } from '../../pipeline/core/errors.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { parseUrl } from '../../pipeline/core/url.ts'
import type { Services } from '../operation/services.ts'
import { DASHBOARD_CLIENT } from './dashboard-client.ts'
import { setForwardedHost } from './forwarded-host.ts'
import { findInvitedAddress } from './invited-address.ts'
import type { ClientShown } from './pages.tsx'
import { describePurpose, parseWayBack } from './way-back.ts'

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/**
 * An authorization request of an application (`GET /authorize`) that waits for its person to sign in or
 * consent.
 */
export interface SignInRequest {
  uid: string
  provider: Provider
  interaction: Interaction
}

/**
 * Finds the authorization request that a page belongs to by the `uid` in its path; undefined if it has ended,
 * or if another browser made it, whose cookie names another request.
 */
export async function findSignInRequest(
  provider: Provider,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { baseUrl }: Services,
): Promise<SignInRequest | undefined> {
  setForwardedHost(request.raw, baseUrl())
  const { uid } = request.params as { uid: string }
  try {
    const interaction = await provider.interactionDetails(request.raw, raw)
    return interaction.uid === uid ? { uid, provider, interaction } : undefined
  } catch (error) {
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined
    throw error
  }
}

/** Describes the application behind a request: what it calls itself, and where it is. */
export async function describeClient(
  { provider, interaction }: SignInRequest,
  { reader }: Pick<Services, 'reader'>,
): Promise<ClientShown> {
  const { client_id, redirect_uri, state } = interaction.params as Record<string, string>
  const client = await provider.Client.find(requireValue(client_id, 'client_id'))
  const url = parseUrl(redirect_uri ?? '')
  const returnsTo = url === undefined ? 'an unknown place' : url.host || url.protocol
  const name = client?.clientName ?? 'An unnamed application'
  if (client_id !== DASHBOARD_CLIENT) return { name, returnsTo }
  const back = parseWayBack(state)
  const invited = findInvitedAddress(reader, back)
  return { name, returnsTo, purpose: describePurpose(back, invited) }
}

/**
 * Refuses a form that another site made the browser send. The cookie of a request is `SameSite` as well; this
 * check covers browsers without support for that.
 */
export function requireOwnForm({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign =
    site === undefined
      ? origin !== undefined && origin !== new URL(baseUrl).origin
      : site !== 'same-origin'
  if (isForeign) refuse('forbidden', 'this form was not submitted from a page of this registry')
}
