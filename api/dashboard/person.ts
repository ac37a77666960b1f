import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../pipeline/model/accounts/person.ts'
import type { Membership } from '../../pipeline/model/identity.ts'
import { findPerson } from '../../pipeline/read/lookups/people.ts'
import { listMemberships } from '../../pipeline/read/lookups/principals.ts'
import { setForwardedHost } from '../identity/forwarded-host.ts'
import type { Identity } from '../identity/identity.ts'
import { refuseFailed } from '../identity/unavailable.ts'
import type { Services } from '../operation/services.ts'

/** The person who is signed in in this browser, with their organizations at the time of this request. */
export interface SignedIn {
  person: Person
  memberships: readonly Membership[]
  /** Names the session in its forms; it is no credential. */
  sessionUid: string
}

/** Finds the person of the session that the browser's signed cookie names; undefined without one. */
export async function findSignedIn(
  identity: Identity,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const session = await readSession(identity, services, request, reply)
  const { accountId, uid } = session
  const person = accountId === undefined ? undefined : findPerson(services.reader, accountId)
  if (person === undefined) return undefined
  const memberships = listMemberships(services.reader, person.user_id)
  return { person, memberships, sessionUid: uid }
}

/** Ends the session on the server, so that a copy of its cookie becomes useless. */
export async function endSession(
  identity: Identity,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await readSession(identity, services, request, reply)
  if (session.accountId !== undefined) await session.destroy().catch(refuseFailed)
}

async function readSession(
  identity: Identity,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const provider = await identity.getProvider(services)
  setForwardedHost(request.raw, services.baseUrl())
  const { Session } = provider
  return Session.get(provider.createContext(request.raw, reply.raw) as never).catch(refuseFailed)
}
