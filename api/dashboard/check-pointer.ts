import type { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { OriginReason } from '../../pipeline/model/hosted.ts'
import type { OriginVerified } from '../../pipeline/model/responses/hosted.ts'
import type { OrganizationRequest } from './dashboard-request.ts'

const findings: Readonly<Record<Exclude<OriginReason, 'authoritative_location_pointer'>, string>> =
  {
    not_found: 'The domain serves no adagents.json.',
    invalid_json: 'The file that the domain serves is not valid JSON.',
    no_authoritative_location: 'The file that the domain serves has no authoritative_location.',
    authoritative_location_mismatch: 'The file that the domain serves does not point here.',
    unresolvable: 'The file that the domain points to cannot be read.',
    transient: 'The domain does not answer at the moment. Try again in a minute.',
  }

/** Checks whether a domain points to its hosted file; returns what is wrong, in words, if anything is. */
export async function findPointerFault(
  { callApi }: Pick<OrganizationRequest, 'callApi'>,
  domain: Domain,
): Promise<string | undefined> {
  const checked = await callApi<z.infer<typeof OriginVerified>>({
    method: 'POST',
    url: `/api/properties/hosted/${encodeURIComponent(domain)}/verify-origin`,
  })
  if (checked.refused !== undefined) return checked.refused
  const { reason, detail } = checked.body
  if (reason === 'authoritative_location_pointer') return undefined
  return detail === undefined ? findings[reason] : `${findings[reason]} It says: ${detail}.`
}
