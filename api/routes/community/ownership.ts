import { z } from 'zod'
import { type Domain, getRegistrableDomain } from '../../../pipeline/core/domain.ts'
import { ownershipMethods } from '../../../pipeline/model/ownership.ts'
import {
  Ownership,
  OwnershipChallenge,
  OwnershipVerified,
} from '../../../pipeline/model/responses/ownership.ts'
import { findOwnership } from '../../../pipeline/read/lookups/ownership.ts'
import { requireOwnOrganization } from '../../auth/organization-access.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { issueChallenge, verifyChallenge } from '../../live/ownership-challenges.ts'
import { PublicDomain } from '../../live/public-host.ts'
import { defineOperation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

/** Fields that choose a challenge and a method; by default the last challenge and every method. */
const howToVerify = {
  challenge_id: z
    .uuid()
    .toLowerCase()
    .exactOptional()
    .describe('ID of the challenge; defaults to the last one'),
  method: z
    .enum(ownershipMethods)
    .exactOptional()
    .describe('Where to look for the token; by default in both places'),
}

/** A name that can have an owner, so not a public suffix. */
export const OwnedDomain = PublicDomain.refine(getRegistrableDomain, {
  error: 'must not be a public suffix',
  when: ({ issues }) => issues.length === 0,
})

export const issueOwnershipChallenge = defineOperation({
  id: 'issueOwnershipChallenge',
  method: 'POST',
  path: '/api/registry/ownership/challenges',
  group: 'Onboarding',
  summary: 'Start verifying a brand domain',
  description:
    'Publish the token (`nonce`) in the TXT record or the file that the response names, and verify ' +
    'it within fifteen minutes. The challenge is for this organization and domain, can be ' +
    'verified once, and ends when a new one is created.',
  access: 'bearer',
  writes: true,
  isIdempotent: true,
  cache: 'none',
  body: z.object({ domain: OwnedDomain }),
  reply: { 201: OwnershipChallenge },
  errors: [...writeErrors, 'conflict'],
  handle: ({ body, principal, submissionId, services }) =>
    issueChallenge(
      { org_id: requireOwnOrganization(principal), domain: body.domain as Domain },
      submissionId,
      services,
    ),
})

export const verifyOwnership = defineOperation({
  id: 'verifyOwnership',
  method: 'POST',
  path: '/api/registry/ownership/verify',
  group: 'Onboarding',
  summary: 'Verify a brand domain',
  description:
    'Checks DNS, the file, or both now. The challenge is used up, whatever the result. Returns 409 if the token was not found, 410 if the challenge has expired, and 404 if there is none or another attempt is running. A verification is valid for ninety days. If no organization holds the domain yet, ' +
    'yours holds it from then on.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ domain: OwnedDomain, ...howToVerify }),
  reply: { 200: OwnershipVerified },
  errors: [...writeErrors, 'not_found', 'conflict', 'challenge_expired'],
  handle: ({ body: { domain, ...how }, principal, services }) => {
    const theirs = { org_id: requireOwnOrganization(principal), domain: domain as Domain }
    return verifyChallenge(theirs, how, principal.id, services)
  },
})

export const readOwnership = defineOperation({
  id: 'getOwnership',
  method: 'GET',
  path: '/api/registry/ownership',
  group: 'Onboarding',
  summary: 'Check whether your organization has verified a brand domain',
  description: 'A verified parent domain counts too.',
  access: 'bearer',
  cache: 'private',
  query: z.object({ domain: PastedDomain }),
  reply: { 200: Ownership },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query: { domain }, principal, services: { config, reader } }) =>
    replyOk(
      findOwnership(reader, requireOwnOrganization(principal), domain, config.LIMITS.proofDays),
    ),
})
