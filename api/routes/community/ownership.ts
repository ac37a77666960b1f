import { z } from 'zod'
import { type Domain, getRegistrableDomain } from '../../../pipeline/core/domain.ts'
import { canBePublic } from '../../../pipeline/core/public-name.ts'
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
import { defineOperation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'

/** Fields that choose a challenge and a method; by default the last challenge and every method. */
const howToVerify = {
  challenge_id: z
    .uuid()
    .toLowerCase()
    .exactOptional()
    .describe('Which challenge; the last one without it'),
  method: z
    .enum(ownershipMethods)
    .exactOptional()
    .describe('Where to look for the word; in both places without it'),
}

/** A name that can have an owner: not a suffix under which everybody registers. */
export const OwnedDomain = PastedDomain.refine(
  text => canBePublic(text) && getRegistrableDomain(text),
  {
    error: 'must be a domain on the public Internet, and no public suffix',
  },
)

export const issueOwnershipChallenge = defineOperation({
  id: 'issueOwnershipChallenge',
  method: 'POST',
  path: '/api/registry/ownership/challenges',
  group: 'Onboarding',
  summary: 'Start an ownership proof of a brand domain',
  description:
    'Put the nonce into a TXT record of the name, or into a file at the address, that the answer ' +
    'says, and ask for it to be verified within fifteen minutes. It is for this organization and ' +
    'this domain, can be verified once, and ends with the next one that is asked for.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ domain: OwnedDomain }),
  reply: { 201: OwnershipChallenge },
  errors: ['invalid_request', 'forbidden', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: ({ body, principal, services }) =>
    issueChallenge(
      { org_id: requireOwnOrganization(principal), domain: body.domain as Domain },
      services,
    ),
})

export const verifyOwnership = defineOperation({
  id: 'verifyOwnership',
  method: 'POST',
  path: '/api/registry/ownership/verify',
  group: 'Onboarding',
  summary: 'Verify the ownership proof of a brand domain',
  description:
    'Looks in DNS and at the file, or at one of them, just now. A challenge is used up by it either ' +
    'way: 409 when the word was not found, 410 when it was asked for too late, 404 when there is ' +
    'none that could be verified, another attempt at the same time included. What it shows counts ' +
    'for ninety days. A domain that no organization holds becomes the caller’s with it.',
  access: 'bearer',
  writes: true,
  cache: 'none',
  body: z.object({ domain: OwnedDomain, ...howToVerify }),
  reply: { 200: OwnershipVerified },
  errors: [
    'invalid_request',
    'forbidden',
    'not_found',
    'conflict',
    'challenge_expired',
    'too_large',
    'unsupported_media_type',
    'unavailable',
  ],
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
  summary: 'Get the state of an ownership proof of your organization',
  description: 'A proof of a parent domain counts too.',
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
