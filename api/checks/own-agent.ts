import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { canBePublic } from '../../pipeline/core/public-name.ts'
import { EnrolledUrl } from '../../pipeline/model/member.ts'
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

/** An id in a path, in any form: an unknown id is not found, never invalid. */
export const AnyId = z.string().min(1).max(200)

/** Finds the organization of the caller that enrolled an agent. */
export function findOwnOrganization(
  principal: Principal,
  url: string,
  reader: Reader,
): string | undefined {
  return getMembers(reader).all.find(
    ({ org_id, agents }) => canActFor(principal, org_id) && agents.some(agent => agent.url === url),
  )?.org_id
}

/** Finds the organization of the caller that enrolled an agent; refuses with 403 if none did. */
export function requireOwnAgent(principal: Principal, url: string, reader: Reader): string {
  return (
    findOwnOrganization(principal, url, reader) ??
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
 * only one.
 */
export function findChosenOwner(
  principal: Principal,
  url: string,
  reader: Reader,
  chosen: string | undefined,
): string | undefined {
  const owners = getMembers(reader).all.filter(
    ({ org_id, agents }) => canActFor(principal, org_id) && agents.some(agent => agent.url === url),
  )
  if (chosen !== undefined) return owners.find(({ org_id }) => org_id === chosen)?.org_id
  return owners.length === 1 ? owners[0]?.org_id : undefined
}

/** Finds the same; refuses with 403 if there is none. */
export function chooseOwner(
  principal: Principal,
  url: string,
  reader: Reader,
  chosen: string | undefined,
): string {
  const found = findChosenOwner(principal, url, reader, chosen)
  if (found !== undefined) return found
  const isOwn = findOwnOrganization(principal, url, reader) !== undefined
  if (!isOwn) return refuse('forbidden', 'your organization has not enrolled this agent')
  const text =
    chosen === undefined
      ? 'several of your organizations enrolled this agent: say which by organization_id, or by org'
      : 'the organization that you name is not yours, or has not enrolled this agent'
  return refuse('forbidden', text)
}
