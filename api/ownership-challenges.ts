import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { MINUTE } from '../pipeline/core/clock.ts'
import type { Domain } from '../pipeline/core/domain.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { endOf } from '../pipeline/index/points/ownership.ts'
import type { ErrandAnswers } from '../pipeline/model/errand.ts'
import {
  type OwnershipMethod,
  ownershipMethods,
  ownershipPlaces,
} from '../pipeline/model/ownership.ts'
import type { Answer } from '../pipeline/model/submission.ts'
import { ok, refused, type Sent } from './reply.ts'
import type { Services } from './services.ts'

/** What is waited beyond the time that a crawler takes for it. */
const SLACK_MS = 3_000
const NONCE_BYTES = 32

/** Who is to show what. */
export interface Claimed {
  org_id: string
  domain: Domain
}

/** Makes up a word for an organization and a domain; only its hash is kept. */
export async function issueChallenge(
  { org_id, domain }: Claimed,
  { config, desk }: Services,
): Promise<Sent> {
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
}

/** Takes the challenge, has the web looked at, and settles it; `caller` pays for the look. */
export async function verifyChallenge(
  { org_id, domain }: Claimed,
  { challenge_id, method }: { challenge_id?: string; method?: OwnershipMethod },
  caller: string,
  services: Services,
): Promise<Sent> {
  const attempt = { attempt_id: randomUUID(), org_id, domain }
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
  const { found } = await lookAt(asked, caller, services).catch(async error => {
    await settle('unasked')
    throw error
  })
  return verified(await settle(found ?? 'nothing'), domain, services)
}

type Refusal = Extract<Answer, { refused: string }>
type Found = 'dns_txt' | 'http' | 'nothing' | 'unasked'

interface Asked {
  domain: Domain
  nonce_hash: string
  methods: OwnershipMethod[]
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
  const { method, verified_at } = answer.done as { method: OwnershipMethod; verified_at: string }
  const valid_until = endOf(method, verified_at, config.LIMITS.proofDays)
  return ok({ verified: true, domain, method, verified_at, valid_until })
}

function refuseAs({ refused: text, error }: Refusal): never {
  return refuse(error ?? 'invalid_request', text)
}
