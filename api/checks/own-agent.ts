import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { EnrolledUrl } from '../../pipeline/model/accounts/member.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { mayEdit } from '../auth/organization-access.ts'
import type { CallerMembership, Principal } from '../auth/principal.ts'

/** Path parameter of operations on one agent. */
export const AgentParams = {
  encodedUrl: EnrolledUrl.refine(url => canBePublic(new URL(url).hostname), {
    error: 'must be on the public internet',
    // Text that is not a URL gets only that message.
    when: ({ issues }) => issues.length === 0,
  }).describe('URL of the agent, percent-encoded'),
}

/** An id in a path, in any form: an id that is not ours is answered with 404, not with 400. */
export const AnyId = z.string().min(1).max(200)

/** Lists the caller's organizations that enrolled an agent. */
function listOwners(principal: Principal, url: string, reader: Reader): CallerMembership[] {
  const enrolled = new Set(
    getMembers(reader)
      .listEnrolments(url)
      .map(({ member }) => member.org_id),
  )
  return principal.memberships.filter(({ org_id }) => enrolled.has(org_id))
}

/** Refuses with 403 unless an organization of the caller enrolled the agent. */
export function requireOwnAgent(principal: Principal, url: string, reader: Reader): void {
  if (listOwners(principal, url, reader).length === 0) refuseStranger()
}

function refuseStranger(): never {
  return refuse('forbidden', 'your organization has not added this agent')
}

/** The organization that a request names by its id, where several of the caller's enrolled the agent. */
export const organization_id = z
  .string()
  .trim()
  .min(1, 'must be the id of an organization')
  .max(255)
  .optional()
  .describe('ID of the organization that added the agent; required if more than one of yours did')

/** A body that only names the organization, or none at all. */
export const ChosenOrganization = z.object({ organization_id }).optional()

/**
 * Finds the organization of the caller that enrolled an agent: the one that the request names, or the
 * only one; undefined where there is none, or several and the request names none.
 */
export function findOwner(
  principal: Principal,
  url: string,
  reader: Reader,
  named: string | undefined,
): CallerMembership | undefined {
  const owners = listOwners(principal, url, reader)
  if (named !== undefined) return owners.find(({ org_id }) => org_id === named)
  return owners.length === 1 ? owners[0] : undefined
}

/** Returns what `findOwner` finds, or refuses with 403 and says why it finds nothing. */
export function requireOwner(
  principal: Principal,
  url: string,
  reader: Reader,
  named: string | undefined,
): CallerMembership {
  const found = findOwner(principal, url, reader, named)
  if (found !== undefined) return found
  requireOwnAgent(principal, url, reader)
  const text =
    named === undefined
      ? 'several of your organizations added this agent: name one with organization_id, or with org'
      : 'the organization that you name is not yours, or has not added this agent'
  return refuse('forbidden', text)
}

/**
 * Returns an organization of the caller that enrolled an agent, if possible one in which they may change
 * something, for operations that take no name of one; refuses with 403 where there is none.
 */
export function chooseOwner(principal: Principal, url: string, reader: Reader): CallerMembership {
  const owners = listOwners(principal, url, reader)
  return owners.find(membership => mayEdit(membership)) ?? owners[0] ?? refuseStranger()
}

/** Derives the id by which clients refer to an agent together with its credential. */
export function deriveContextId(org_id: string, agent_url: string): string {
  return deriveId('agent_context', org_id, agent_url)
}
