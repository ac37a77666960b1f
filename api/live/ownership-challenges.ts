import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
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
import type { Outbound } from '../limits/outbound.ts'
import { replyOk, replyRefused, type Sent } from '../responses/reply.ts'

/** Time in addition to the crawler's own in which its answer is awaited. */
const SLACK_MS = 3_000
const NONCE_BYTES = 32

interface ProofServices {
  config: Config
  writer: ApiWriter
  outbound: Outbound
}

/** The claim of an organization that it owns a domain. */
export interface OwnershipClaim {
  org_id: string
  domain: Domain
}

/** Creates a challenge with a random token for an organization and a domain; only its hash is stored. */
export async function issueChallenge(
  { org_id, domain }: OwnershipClaim,
  { config, writer }: Pick<ProofServices, 'config' | 'writer'>,
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

/**
 * Claims the open challenge, has a crawler verify it, and settles it with what was found. The requests of the
 * crawler count towards the limits of `caller`. Without a `method` both are tried.
 */
export async function verifyChallenge(
  { org_id, domain }: OwnershipClaim,
  { challenge_id, method }: { challenge_id?: string; method?: OwnershipMethod },
  caller: string,
  services: ProofServices,
): Promise<Sent> {
  const attempt = { attempt_id: randomUUID(), org_id, domain }
  const requested = challenge_id === undefined ? {} : { challenge_id }
  const taken = await services.writer.submit({ op: 'ownership.take', ...attempt, ...requested })
  if ('refused' in taken) return refuseAs(taken)
  const challenge = taken.done as { challenge_id: string; nonce_hash: string }
  const settle = (found: Found) =>
    services.writer.submit({
      op: 'ownership.settle',
      ...attempt,
      challenge_id: challenge.challenge_id,
      found,
    })
  const check = { domain, ...challenge, methods: method ? [method] : [...ownershipMethods] }
  const { found } = await checkOnWeb(check, caller, services).catch(async error => {
    await settle('unasked')
    throw error
  })
  return replyVerified(await settle(found ?? 'nothing'), domain, services)
}

/**
 * Looks for a token in each place without claiming its challenge, so that people can check before they
 * verify: a verification that finds nothing uses up the challenge.
 */
export async function lookForNonce(
  challenge: Pick<OwnershipCheck, 'domain' | 'nonce_hash'>,
  caller: string,
  services: Pick<ProofServices, 'config' | 'outbound'>,
): Promise<Record<OwnershipMethod, boolean>> {
  const look = async (method: OwnershipMethod) => {
    const { found } = await checkOnWeb({ ...challenge, methods: [method] }, caller, services)
    return found === method
  }
  const [dns_txt, http] = await Promise.all([look('dns_txt'), look('http')])
  return { dns_txt, http }
}

type Refusal = Extract<Answer, { refused: string }>
type Found = 'dns_txt' | 'http' | 'nothing' | 'unasked'

interface OwnershipCheck {
  domain: Domain
  nonce_hash: string
  methods: OwnershipMethod[]
}

/** Has a crawler look for the token now; the answer is never shared with another attempt. */
async function checkOnWeb(
  { domain, nonce_hash, methods }: OwnershipCheck,
  caller: string,
  { config, outbound }: Pick<ProofServices, 'config' | 'outbound'>,
): Promise<LiveRequestAnswers['check_ownership']> {
  const { answer } = await outbound.ask<'check_ownership'>({
    cacheKey: `ownership ${domain}`,
    mustBeNew: true,
    caller,
    ms: config.LIMITS.ownershipMs + SLACK_MS,
    request: () => ({ kind: 'check_ownership', domain, nonce_hash, methods }),
  })
  return answer
}

function replyVerified(
  answer: Answer,
  domain: Domain,
  { config }: Pick<ProofServices, 'config'>,
): Sent {
  if ('refused' in answer) return refuseAs(answer)
  if (!answer.done.verified) {
    const text = `no token found on ${domain}: create a new challenge and publish its token`
    return replyRefused('ownership_verification_failed', text, { verified: false, domain })
  }
  const { method, verified_at } = answer.done as { method: OwnershipMethod; verified_at: string }
  const valid_until = getProofEnd(method, verified_at, config.LIMITS.proofDays)
  return replyOk({ verified: true, domain, method, verified_at, valid_until })
}

function refuseAs({ refused: text, error }: Refusal): never {
  return refuse(error ?? 'invalid_request', text)
}
