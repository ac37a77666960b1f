import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { refuse } from '../../pipeline/core/errors.ts'
import { parseUrl } from '../../pipeline/core/url.ts'
import type { Services } from '../operation/services.ts'
import { nameOwnHost } from './own-host.ts'
import type { AskingClient } from './pages.tsx'

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The request of an application that waits until its person has signed in or consented. */
export interface Asking {
  uid: string
  provider: Provider
  interaction: Interaction
}

/**
 * Finds the request that a page belongs to; undefined where it has ended, or this browser has not made it:
 * the cookie of the browser must name the same request as the address.
 */
export async function findAsking(
  provider: Provider,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { baseUrl }: Services,
): Promise<Asking | undefined> {
  nameOwnHost(request.raw, baseUrl())
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
export async function describeClient({ provider, interaction }: Asking): Promise<AskingClient> {
  const { client_id, redirect_uri } = interaction.params as Record<string, string>
  const client = await provider.Client.find(client_id!)
  const url = parseUrl(redirect_uri ?? '')
  const place = url === undefined ? 'an unknown place' : url.host || url.protocol
  return { name: client?.clientName ?? 'An application without a name', place }
}

/**
 * Refuses a form that another site had the browser send. The cookie of a request is not sent from there
 * either (`SameSite`); this holds where a browser does not know that.
 */
export function requireOwnForm({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign =
    site === undefined
      ? origin !== undefined && origin !== new URL(baseUrl).origin
      : site !== 'same-origin'
  if (isForeign) refuse('forbidden', 'this form was not sent by a page of the registry')
}
