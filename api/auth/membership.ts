import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { Principal } from './principal.ts'

/** Refuses with 403 what only members may do with a brand, and says how an organization becomes one. */
export function assertMember(
  reader: Reader,
  { org_id }: Pick<Principal, 'org_id'>,
  what: string,
  domain: Domain,
): void {
  if (getMembers(reader).all.some(member => member.org_id === org_id)) return
  const how = '`POST /api/me/organization/profile` makes your organization one'
  refuse('forbidden', `only members may ${what}: ${how}`, { domain })
}
