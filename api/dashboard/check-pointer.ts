import type { z } from 'zod'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { OriginReason } from '../../pipeline/model/hosted.ts'
import type { OriginVerified } from '../../pipeline/model/responses/hosted.ts'
import type { OrganizationRequest } from './dashboard-request.ts'

type Fault = Exclude<OriginReason, 'authoritative_location_pointer'>

const findings: Readonly<Record<Fault, (domain: string) => string>> = {
  not_found: domain => `${domain} serves no adagents.json (404).`,
  invalid_json: domain => `The adagents.json that ${domain} serves isn’t valid JSON.`,
  no_authoritative_location: domain =>
    `The adagents.json that ${domain} serves has no authoritative_location.`,
  authoritative_location_mismatch: domain =>
    `The adagents.json that ${domain} serves doesn’t point here`,
  unresolvable: domain => `${domain} can’t be reached.`,
  transient: domain => `${domain} doesn’t answer at the moment. Try again in a minute.`,
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
  const finding = findings[reason](domain)
  if (reason !== 'authoritative_location_mismatch') return finding
  return detail === undefined ? `${finding}.` : `${finding}: ${detail}.`
}
