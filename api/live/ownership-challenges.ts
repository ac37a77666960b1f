import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { LiveRequestAnswers } from '../../pipeline/model/live/live-request.ts'
import {
  listOwnershipPlaces,
  type OwnershipMethod,
  ownershipMethods,
} from '../../pipeline/model/ownership.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import { getProofEnd } from '../../pipeline/read/lookups/ownership.ts'
import type { Services } from '../operation/services.ts'
import { replyOk, replyRefused, type Sent } from '../responses/reply.ts'

/** Time in addition to the crawler's own in which its answer is awaited. */
const SLACK_MS = 3_000
const NONCE_BYTES = 32

/** A claimed challenge: the organization and the domain. */
export interface Claimed {
  org_id: string
  domain: Domain
}

/** Creates a challenge with a random token for an organization and a domain; only its hash is stored. */
export async function issueChallenge(
  { org_id, domain }: Claimed,
  { config, writer }: Services,
): Promise<Sent> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const answer = await writer.submit({
    op: 'ownership.issue',
    challenge_id: randomUUID(),
    org_id,
    domain,
    nonce_hash: createHash('sha256').update(nonce).digest('hex'),
    lasts_ms: config.LIMITS.challengeMinutes * MINUTE,
  })
  if ('refused' in answer) return refuseAs(answer)
  const { txt, url } = listOwnershipPlaces(domain, config.PROTOCOL_NAME)
  const methods = { dns_txt: { name: txt, value: nonce }, http: { url, body: nonce } }
  return { status: 201, body: { ...answer.done, nonce, methods } }
}

/** Claims the challenge, has a crawler verify it, and settles it; the verification counts for `caller`. */
export async function verifyChallenge(
  { org_id, domain }: Claimed,
  { challenge_id, method }: { challenge_id?: string; method?: OwnershipMethod },
  caller: string,
  services: Services,
): Promise<Sent> {
  const attempt = { attempt_id: randomUUID(), org_id, domain }
  const named = challenge_id === undefined ? {} : { challenge_id }
  const taken = await services.writer.submit({ op: 'ownership.take', ...attempt, ...named })
  if ('refused' in taken) return refuseAs(taken)
  const challenge = taken.done as { challenge_id: string; nonce_hash: string }
  const settle = (found: Found) =>
    services.writer.submit({
      op: 'ownership.settle',
      ...attempt,
      challenge_id: challenge.challenge_id,
      found,
    })
  const asked = { domain, ...challenge, methods: method ? [method] : [...ownershipMethods] }
  const { found } = await lookAt(asked, caller, services).catch(async error => {
    await settle('unasked')
    throw error
  })
  return replyVerified(await settle(found ?? 'nothing'), domain, services)
}

type Refusal = Extract<Answer, { refused: string }>
type Found = 'dns_txt' | 'http' | 'nothing' | 'unasked'

interface Asked {
  domain: Domain
  nonce_hash: string
  methods: OwnershipMethod[]
}

/** Starts one verification attempt as a job of its own, which never shares its answer with another. */
async function lookAt(
  { domain, nonce_hash, methods }: Asked,
  caller: string,
  { config, outbound }: Services,
): Promise<LiveRequestAnswers['check_ownership']> {
  const { answer } = await outbound.ask<'check_ownership'>({
    question: `ownership ${domain}`,
    isNew: true,
    caller,
    ms: config.LIMITS.ownershipMs + SLACK_MS,
    request: () => ({ kind: 'check_ownership', domain, nonce_hash, methods }),
  })
  return answer
}

function replyVerified(answer: Answer, domain: Domain, { config }: Services): Sent {
  if ('refused' in answer) return refuseAs(answer)
  if (!answer.done.verified) {
    const text = `${domain} does not publish the token: create another challenge`
    return replyRefused('ownership_verification_failed', text, { verified: false, domain })
  }
  const { method, verified_at } = answer.done as { method: OwnershipMethod; verified_at: string }
  const valid_until = getProofEnd(method, verified_at, config.LIMITS.proofDays)
  return replyOk({ verified: true, domain, method, verified_at, valid_until })
}

function refuseAs({ refused: text, error }: Refusal): never {
  return refuse(error ?? 'invalid_request', text)
}
