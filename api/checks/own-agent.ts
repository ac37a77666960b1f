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
