import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ApiWriter } from '../../jobs/api-client/writer-client.ts'
import { MINUTE } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { outcomes } from '../../pipeline/core/outcomes.ts'
import type { LiveRequestAnswers } from '../../pipeline/model/live/live-request.ts'
import {
  listOwnershipPlaces,
  type OwnershipMethod,
  ownershipMethods,
  type PlaceWithoutNonce,
} from '../../pipeline/model/ownership.ts'
import type { Answer } from '../../pipeline/model/submission.ts'
import { getProofEnd } from '../../pipeline/read/lookups/ownership.ts'
import type { Outbound } from '../limits/outbound.ts'
import { replyOk, replyRefused, type Sent } from '../responses/reply.ts'
import { submitSecret } from './submit-secret.ts'

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
  submissionId: string,
  services: Pick<ProofServices, 'config' | 'writer'>,
): Promise<Sent> {
  const { LIMITS, PROTOCOL_NAME } = services.config
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const challenge = {
    op: 'ownership.issue',
    challenge_id: randomUUID(),
    org_id,
    domain,
    nonce_hash: createHash('sha256').update(nonce).digest('hex'),
    lasts_ms: LIMITS.challengeMinutes * MINUTE,
  } as const
  const done = await submitSecret(services, submissionId, challenge, { org_id, domain })
  const { txt, url } = listOwnershipPlaces(domain, PROTOCOL_NAME)
  const methods = { dns_txt: { name: txt, value: nonce }, http: { url, body: nonce } }
  return { status: 201, body: { ...done, nonce, methods } }
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
  const { found, instead } = await checkOnWeb(check, caller, services).catch(async error => {
    await settle('unasked')
    throw error
  })
  return replyVerified(await settle(found ?? 'nothing'), { domain, instead }, services)
}

/**
 * Looks for a token in both places without claiming its challenge, so that people can check before they
 * verify: a verification that finds nothing uses up the challenge. Returns a sentence for each place if it is in none.
 */
export async function lookForNonce(
  challenge: Pick<OwnershipCheck, 'domain' | 'nonce_hash'>,
  caller: string,
  services: Pick<ProofServices, 'config' | 'outbound'>,
): Promise<{ isFound: boolean; instead: string[] }> {
  const check = { ...challenge, methods: [...ownershipMethods] }
  const { found, instead } = await checkOnWeb(check, caller, services)
  return {
    isFound: found !== null,
    instead: describePlaces({ domain: challenge.domain, instead }, services.config),
  }
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

interface CheckedPlaces {
  domain: Domain
  instead: LiveRequestAnswers['check_ownership']['instead']
}

/** Describes what each place shows instead of the token, a sentence without its stop for each. */
function describePlaces({ domain, instead }: CheckedPlaces, { PROTOCOL_NAME }: Config): string[] {
  const { txt, url } = listOwnershipPlaces(domain, PROTOCOL_NAME)
  const places = { dns_txt: `TXT record ${txt}`, http: `file at ${url}` }
  return ownershipMethods.flatMap(method => {
    const place = instead?.[method]
    return place === undefined ? [] : [describePlace(places[method], place)]
  })
}

function describePlace(name: string, place: PlaceWithoutNonce): string {
  if (place.state === 'empty') return `there is no ${name}`
  if (place.state === 'other')
    return place.text === ''
      ? `the ${name} is empty`
      : `the ${name} contains different text: ${JSON.stringify(place.text)}`
  const reason = place.outcome && `: ${outcomes[place.outcome].means}`
  return `the ${name} could not be read${reason ?? ''}`
}

function replyVerified(
  answer: Answer,
  { domain, instead }: CheckedPlaces,
  { config }: Pick<ProofServices, 'config'>,
): Sent {
  if ('refused' in answer) return refuseAs(answer)
  if (!answer.done.verified) {
    const places = describePlaces({ domain, instead }, config).join('; ')
    const text = `no token found on ${domain}${places && ` (${places})`}: create a new challenge and publish its token`
    return replyRefused('ownership_verification_failed', text, { verified: false, domain })
  }
  const { method, verified_at } = answer.done as { method: OwnershipMethod; verified_at: string }
  const valid_until = getProofEnd(method, verified_at, config.LIMITS.proofDays)
  return replyOk({ verified: true, domain, method, verified_at, valid_until })
}

function refuseAs({ refused: text, error }: Refusal): never {
  return refuse(error ?? 'invalid_request', text)
}
