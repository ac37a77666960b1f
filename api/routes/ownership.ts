import { z } from 'zod'
import { type Domain, registrableDomain } from '../../pipeline/core/domain.ts'
import { ownershipOf } from '../../pipeline/index/points/ownership.ts'
import {
  Ownership,
  OwnershipChallenge,
  OwnershipVerified,
} from '../../pipeline/model/answers-ownership.ts'
import { ownershipMethods } from '../../pipeline/model/ownership.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { issueChallenge, verifyChallenge } from '../ownership-challenges.ts'
import { mayBePublic } from '../public-host.ts'
import { ok } from '../reply.ts'
import { ownOrganization } from '../standing.ts'

/** What may be said of how a domain is verified: the last challenge and every method, where nothing is. */
const howToVerify = {
  challenge_id: z.uuid().toLowerCase().exactOptional(),
  method: z.enum(ownershipMethods).exactOptional(),
}

/** A name that can have an owner: not a suffix under which everybody registers. */
export const OwnedDomain = PastedDomain.refine(
  text => mayBePublic(text) && registrableDomain(text),
  {
    error: 'must be a domain on the public Internet, and no public suffix',
  },
)

export const issueOwnershipChallenge = operation({
  id: 'issueOwnershipChallenge',
  method: 'POST',
  path: '/api/registry/ownership/challenges',
  group: 'Onboarding',
  summary: 'Ask for a word that shows whose a domain is',
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
    issueChallenge({ org_id: ownOrganization(principal), domain: body.domain as Domain }, services),
})

export const verifyOwnership = operation({
  id: 'verifyOwnership',
  method: 'POST',
  path: '/api/registry/ownership/verify',
  group: 'Onboarding',
  summary: 'Have the web asked whether a domain shows the word',
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
    'rate_limited',
    'unavailable',
  ],
  handle: ({ body: { domain, ...how }, principal, services }) => {
    const theirs = { org_id: ownOrganization(principal), domain: domain as Domain }
    return verifyChallenge(theirs, how, principal.id, services)
  },
})

export const readOwnership = operation({
  id: 'getOwnership',
  method: 'GET',
  path: '/api/registry/ownership',
  group: 'Onboarding',
  summary: 'Whether the caller’s organization has shown that a domain is its own',
  description: 'What was shown of a domain above it counts too.',
  access: 'bearer',
  cache: 'private',
  query: z.object({ domain: PastedDomain }),
  reply: { 200: Ownership },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ query: { domain }, principal, services: { config, reader } }) =>
    ok(ownershipOf(reader, ownOrganization(principal), domain, config.LIMITS.proofDays)),
})
