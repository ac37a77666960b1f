import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { deriveId } from '../../pipeline/core/uuid-v7.ts'
import { EnrolledUrl } from '../../pipeline/model/accounts/member.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { canActFor } from '../auth/organization-access.ts'
import type { Principal } from '../auth/principal.ts'

/** Path parameter of operations on one agent. */
export const AgentParams = {
  encodedUrl: EnrolledUrl.refine(url => canBePublic(new URL(url).hostname), {
    error: 'must be on the public Internet',
    // Text that is not a URL gets only that message.
    when: ({ issues }) => issues.length === 0,
  }).describe('Address of the agent, percent-encoded'),
}

/** An id in a path, in any form: an id that is not ours is answered with 404, not with 400. */
export const AnyId = z.string().min(1).max(200)

/** Lists the caller's organizations that enrolled an agent. */
function listOwners(principal: Principal, url: string, reader: Reader): string[] {
  return getMembers(reader)
    .all.filter(
      ({ org_id, agents }) =>
        canActFor(principal, org_id) && agents.some(agent => agent.url === url),
    )
    .map(({ org_id }) => org_id)
}

/** Refuses with 403 unless an organization of the caller enrolled the agent. */
export function requireOwnAgent(principal: Principal, url: string, reader: Reader): string {
  return (
    listOwners(principal, url, reader)[0] ??
    refuse('forbidden', 'your organization has not enrolled this agent')
  )
}

/** The organization that a request names by its id, where several of the caller's enrolled the agent. */
export const organization_id = z
  .string()
  .trim()
  .min(1, 'must be the id of an organization')
  .max(255)
  .optional()
  .describe('Id of your organization that enrolled the agent; required where several did')

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
): string | undefined {
  const owners = listOwners(principal, url, reader)
  if (named !== undefined) return owners.find(org_id => org_id === named)
  return owners.length === 1 ? owners[0] : undefined
}

/** Returns what `findOwner` finds, or refuses with 403 and says why it finds nothing. */
export function requireOwner(
  principal: Principal,
  url: string,
  reader: Reader,
  named: string | undefined,
): string {
  const found = findOwner(principal, url, reader, named)
  if (found !== undefined) return found
  requireOwnAgent(principal, url, reader)
  const text =
    named === undefined
      ? 'several of your organizations enrolled this agent: name one with organization_id, or with org'
      : 'the organization that you name is not yours, or has not enrolled this agent'
  return refuse('forbidden', text)
}

/** Derives the id by which clients refer to an agent together with its credential. */
export function deriveContextId(org_id: string, agent_url: string): string {
  return deriveId('agent_context', org_id, agent_url)
}
