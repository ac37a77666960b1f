import { z } from 'zod'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { listOwnershipPlaces } from '../../../pipeline/model/ownership.ts'
import {
  BrandOwnership,
  OrganizationDomains,
  OwnershipChallenge,
  OwnershipVerified,
} from '../../../pipeline/model/responses/ownership.ts'
import { findOrigin } from '../../../pipeline/read/lookups/hosted.ts'
import { getMembers, toPublicMember } from '../../../pipeline/read/lookups/members.ts'
import {
  findHolder,
  findOwnership,
  listOpenChallenges,
  listOwnedDomains,
} from '../../../pipeline/read/lookups/ownership.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { isInOrganization, resolveOrganization } from '../../auth/organization-access.ts'
import { OrganizationQuery } from '../../auth/organization-query.ts'
import type { Principal } from '../../auth/principal.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { issueChallenge, verifyChallenge } from '../../live/ownership-challenges.ts'
import { defineOperation } from '../../operation/operation.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { OwnedDomain } from '../community/ownership.ts'

export const listOwnDomains = defineOperation({
  id: 'listOwnDomains',
  method: 'GET',
  path: '/api/me/organization/domains',
  group: 'Onboarding',
  summary: 'List your organization’s domains',
  description:
    'Returns the domains that your organization holds, and those that it has verified while another organization holds them. Each has its verification method and expiry. Start a challenge to add a domain or to renew its verification; `pending` lists the challenges that can still be verified.',
  access: 'bearer',
  cache: 'private',
  query: OrganizationQuery,
  reply: { 200: OrganizationDomains },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query, principal, services: { config, reader } }) => {
    const { org_id, org_name } = resolveOrganization(principal, query.org)
    const domains = listOwnedDomains(reader, org_id).map(({ domain, method, verified_at }) => {
      const shown = findOwnership(reader, org_id, domain, config.LIMITS.proofDays)
      return { domain, method, verified_at, proven: shown.proven, valid_until: shown.valid_until }
    })
    const pending = listOpenChallenges(reader, org_id).map(({ domain, expires_at }) => {
      const { txt: txt_name, url: file_url } = listOwnershipPlaces(domain, config.PROTOCOL_NAME)
      return { domain, expires_at, txt_name, file_url }
    })
    return replyOk({ organization: { id: org_id, name: org_name }, domains, pending })
  },
})

const removalErrors = ['invalid_request', 'forbidden', 'not_found', 'unavailable'] as const

const refusals = ['invalid_request', 'forbidden', 'too_large', 'unavailable'] as const

export const addOwnDomain = defineOperation({
  id: 'addOwnDomain',
  method: 'POST',
  path: '/api/me/organization/domains',
  group: 'Onboarding',
  summary: 'Start verifying a domain',
  description:
    'Works like an ownership challenge, but for any organization that you belong to. The domain is added once it is verified.',
  access: 'bearer',
  writes: true,
  isIdempotent: true,
  cache: 'private',
  query: OrganizationQuery,
  body: z.object({ domain: OwnedDomain }),
  reply: { 201: OwnershipChallenge },
  errors: [...refusals, 'conflict', 'unsupported_media_type'],
  handle: ({ query, body, principal, submissionId, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    return issueChallenge({ org_id, domain: body.domain as Domain }, submissionId, services)
  },
})

export const verifyOwnDomain = defineOperation({
  id: 'verifyOwnDomain',
  method: 'POST',
  path: '/api/me/organization/domains/:domain/verify',
  group: 'Onboarding',
  summary: 'Verify a domain',
  description:
    'Looks for the last challenge’s token in DNS and in the file. A challenge can be verified only once, whatever the result.',
  access: 'bearer',
  writes: true,
  raw: true,
  cache: 'private',
  query: OrganizationQuery,
  params: z.object({ domain: PastedDomain }),
  reply: { 200: OwnershipVerified },
  errors: [...refusals, 'not_found', 'conflict', 'challenge_expired'],
  handle: ({ query, params: { domain }, principal, services }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    return verifyChallenge({ org_id, domain }, {}, principal.id, services)
  },
})

export const removeOwnDomain = defineOperation({
  id: 'removeOwnDomain',
  method: 'DELETE',
  path: '/api/me/organization/domains/:domain',
  group: 'Onboarding',
  summary: 'Remove a domain from your organization',
  description:
    'Ends its verification. Files hosted for the domain stay online, and agents stay added, but your organization ' +
    'cannot change those files until it has verified the domain again.',
  access: 'bearer',
  writes: true,
  cache: 'private',
  query: OrganizationQuery,
  params: z.object({ domain: PastedDomain }),
  reply: { 204: null },
  errors: removalErrors,
  handle: async ({ query, params: { domain }, principal, services: { writer } }) => {
    const { org_id: org } = resolveOrganization(principal, query.org)
    unwrapAnswer(await writer.submit({ op: 'organization.domain.remove', org, domain }))
    return noContent
  },
})

export const cancelOwnDomainProof = defineOperation({
  id: 'cancelOwnDomainProof',
  method: 'DELETE',
  path: '/api/me/organization/domains/:domain/challenge',
  group: 'Onboarding',
  summary: 'Cancel a pending domain verification',
  description: 'The last challenge’s token becomes invalid. An earlier verification stays valid.',
  access: 'bearer',
  writes: true,
  cache: 'private',
  query: OrganizationQuery,
  params: z.object({ domain: PastedDomain }),
  reply: { 204: null },
  errors: removalErrors,
  handle: async ({ query, params: { domain }, principal, services: { writer } }) => {
    const { org_id } = resolveOrganization(principal, query.org)
    unwrapAnswer(await writer.submit({ op: 'ownership.cancel', org_id, domain }))
    return noContent
  },
})

export const excludeOtherOwners = defineOperation({
  id: 'excludeOtherOwners',
  method: 'DELETE',
  path: '/api/me/organization/domains/:domain/others',
  group: 'Onboarding',
  summary: 'End other organizations’ verifications of a domain',
  description:
    'You must have verified this exact domain with its token in the last 15 minutes; otherwise the response is a 409. The other organizations can no longer change its hosted files, are notified by email and in their audit log, and can verify the domain again. Verifications of a parent domain, and those that the operator entered, remain valid.',
  access: 'bearer',
  writes: true,
  cache: 'private',
  query: OrganizationQuery,
  params: z.object({ domain: PastedDomain }),
  reply: { 204: null },
  errors: [...removalErrors, 'conflict'],
  handle: async ({ query, params: { domain }, principal, services: { writer } }) => {
    const { org_id: org } = resolveOrganization(principal, query.org)
    unwrapAnswer(await writer.submit({ op: 'organization.domain.exclude', org, domain }))
    return noContent
  },
})

export const readBrandOwnership = defineOperation({
  id: 'getBrandOwnership',
  method: 'GET',
  path: '/api/brands/:domain/ownership',
  group: 'Brand Resolution',
  summary: 'Get a brand domain’s owner',
  description:
    '`verified` means that an organization has verified the domain or a parent domain. Its name is shown to everyone if its profile is public, otherwise only to itself. With a credential, the response also says ' +
    'whether the caller can save the brand or verify the domain.',
  access: 'optional',
  cache: 'personal',
  params: z.object({ domain: PastedDomain }),
  reply: { 200: BrandOwnership },
  errors: ['invalid_request'],
  handle: ({ params: { domain }, principal, services: { reader, baseUrl } }) => {
    const holder = findHolder(reader, domain)
    // A person with a mailbox at a domain need not control it.
    const owner = holder?.proof === 'email' ? undefined : holder?.org_id
    const can_manage = owner !== undefined && isInOrganization(principal, owner)
    const can_claim = owner === undefined && principal?.org_id !== undefined
    const is_orphaned = holder === undefined && findOrigin(reader, domain)?.verified_at != null
    return replyOk({
      domain,
      status: owner !== undefined ? 'verified' : is_orphaned ? 'orphaned' : 'community',
      owner: owner === undefined ? null : toShownOwner(reader, owner, principal),
      can_manage,
      can_claim,
      manage_url: can_manage ? `${baseUrl()}/api/brands/save` : null,
      claim_url: can_claim ? `${baseUrl()}/api/registry/ownership/challenges` : null,
      authenticated: principal !== undefined,
    } satisfies BrandOwnership)
  },
})

function toShownOwner(reader: Reader, owner: string, principal: Principal | undefined) {
  const own = principal?.memberships.find(({ org_id }) => org_id === owner)
  if (own !== undefined) return { name: own.org_name }
  const shown = toPublicMember(getMembers(reader).all.find(({ org_id }) => org_id === owner))
  return shown && { name: shown.display_name }
}
