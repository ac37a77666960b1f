import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { MINUTE } from '../../pipeline/core/clock.ts'
import { type Domain, registrableDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { endOf, ownershipOf } from '../../pipeline/index/points/ownership.ts'
import {
  Ownership,
  OwnershipChallenge,
  OwnershipVerified,
} from '../../pipeline/model/answers-ownership.ts'
import type { ErrandAnswers } from '../../pipeline/model/errand.ts'
import { ownershipMethods, ownershipPlaces } from '../../pipeline/model/ownership.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import { PastedDomain } from '../fields.ts'
import { operation } from '../operation.ts'
import { mayBePublic } from '../public-host.ts'
import { ok, refused, type Sent } from '../reply.ts'
import type { Services } from '../services.ts'
import { ownOrganization } from '../standing.ts'

/** What is waited beyond the time that a crawler takes for it. */
const SLACK_MS = 3_000
const NONCE_BYTES = 32

/** A name that can have an owner: not a suffix under which everybody registers. */
const OwnedDomain = PastedDomain.refine(text => mayBePublic(text) && registrableDomain(text), {
  error: 'must be a domain on the public Internet, and no public suffix',
})

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
  handle: async ({ body, principal, services: { config, desk } }) => {
    const org_id = ownOrganization(principal)
    const domain = body.domain as Domain
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    const answer = await desk.submit({
      op: 'ownership.issue',
      ...{ challenge_id: randomUUID(), org_id, domain },
      nonce_hash: createHash('sha256').update(nonce).digest('hex'),
      lasts_ms: config.LIMITS.challengeMinutes * MINUTE,
    })
    if ('refused' in answer) return refuseAs(answer)
    const { txt, url } = ownershipPlaces(domain, config.PROTOCOL_NAME)
    const methods = { dns_txt: { name: txt, value: nonce }, http: { url, body: nonce } }
    return { status: 201, body: { ...answer.done, nonce, methods } }
  },
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
  body: z.object({
    domain: OwnedDomain,
    challenge_id: z.uuid().toLowerCase().exactOptional(),
    method: z.enum(ownershipMethods).exactOptional(),
  }),
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
  handle: async ({ body, principal, services }) => {
    const { challenge_id, method } = body
    const domain = body.domain as Domain
    const attempt = { attempt_id: randomUUID(), org_id: ownOrganization(principal), domain }
    const named = challenge_id === undefined ? {} : { challenge_id }
    const taken = await services.desk.submit({ op: 'ownership.take', ...attempt, ...named })
    if ('refused' in taken) return refuseAs(taken)
    const challenge = taken.done as { challenge_id: string; nonce_hash: string }
    const settle = (found: Found) =>
      services.desk.submit({
        op: 'ownership.settle',
        ...attempt,
        ...{ challenge_id: challenge.challenge_id, found },
      })
    const asked = { domain, ...challenge, methods: method ? [method] : [...ownershipMethods] }
    const { found } = await lookAt(asked, principal.id, services).catch(async error => {
      await settle('unasked')
      throw error
    })
    return verified(await settle(found ?? 'nothing'), domain, services)
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

type Refusal = Extract<Answer, { refused: string }>
type Found = 'dns_txt' | 'http' | 'nothing' | 'unasked'

interface Asked {
  domain: Domain
  nonce_hash: string
  methods: (typeof ownershipMethods)[number][]
}

/** Each attempt is a question of its own: what one was told is nothing to another. */
function lookAt(
  { domain, nonce_hash, methods }: Asked,
  caller: string,
  { budget, config, desk }: Services,
): Promise<ErrandAnswers['check_ownership']> {
  const outward = { question: `ownership ${randomUUID()}`, caller, target: domain }
  const errand = { errand: 'check_ownership', domain, nonce_hash, methods } as const
  return budget.spend(outward, () => desk.send(errand, config.LIMITS.ownershipMs + SLACK_MS))
}

function verified(answer: Answer, domain: Domain, { config }: Services): Sent {
  if ('refused' in answer) return refuseAs(answer)
  if (!answer.done.verified) {
    const told = { code: 'ownership_verification_failed', verified: false, domain }
    return refused('conflict', `${domain} does not show the word: ask for another one`, told)
  }
  const { method, verified_at } = answer.done as { method: 'dns_txt' | 'http'; verified_at: string }
  const valid_until = endOf(method, verified_at, config.LIMITS.proofDays)
  return ok({ verified: true, domain, method, verified_at, valid_until })
}

function refuseAs({ refused: text, error }: Refusal): never {
  return refuse(error ?? 'invalid_request', text)
}
