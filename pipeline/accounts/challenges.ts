import { DAY, toIso } from '../core/clock.ts'
import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'
import { recordProof } from './proofs.ts'
import type { AccountStamp } from './stamp.ts'

interface Challenge {
  challenge_id: string
  org_id: string
  domain: string
  nonce_hash: string
  state: 'issued' | 'verifying' | 'consumed' | 'invalidated'
  attempt_id: string | null
  expires_at: string
}

/** Issues a challenge for a domain to an organization; an earlier one becomes invalid. */
export function issueChallenge(
  db: Sqlite,
  { challenge_id, org_id, domain, nonce_hash, lasts_ms }: OperationOf<'ownership.issue'>,
  { now, seq }: AccountStamp,
): Answer {
  db.run('delete from ownership_challenges where expires_at < $since', {
    since: toIso(now - DAY),
  })
  db.run(
    `update ownership_challenges set state = 'invalidated', seq = $seq
     where org_id = $org_id and domain = $domain and state in ('issued', 'verifying')`,
    { org_id, domain, seq },
  )
  const expires_at = toIso(now + lasts_ms)
  const issued = { state: 'issued', attempt_id: null, issued_at: toIso(now), expires_at }
  db.insert('ownership_challenges', [{ challenge_id, org_id, domain, nonce_hash, ...issued, seq }])
  return { done: { challenge_id, domain, expires_at } }
}

/**
 * Claims a challenge for one attempt to verify it: a concurrent attempt is refused as if there were none.
 * An attempt that never reports back has used the challenge up, and another one can be issued.
 */
export function claimChallenge(
  db: Sqlite,
  operation: OperationOf<'ownership.take'>,
  { now, seq }: AccountStamp,
): Answer {
  const { attempt_id, org_id, domain, challenge_id } = operation
  const challenge =
    challenge_id === undefined
      ? findLastChallenge(db, org_id, domain)
      : findChallenge(db, challenge_id)
  if (challenge && challenge.org_id !== org_id) {
    return { refused: 'the challenge belongs to another organization', error: 'forbidden' }
  }
  if (challenge?.domain !== domain || challenge.state !== 'issued')
    return refuseWithoutChallenge(domain)
  if (challenge.expires_at <= toIso(now)) return refuseExpired(domain)
  mark(db, challenge.challenge_id, { state: 'verifying', attempt_id, seq })
  const { nonce_hash } = challenge
  return { done: { challenge_id: challenge.challenge_id, nonce_hash } }
}

/** Settles an attempt by its result, if the challenge is still claimed by it. */
export function settleChallenge(
  db: Sqlite,
  operation: OperationOf<'ownership.settle'>,
  stamp: AccountStamp,
): Answer {
  const { attempt_id, challenge_id, org_id, domain, found } = operation
  const { now, seq } = stamp
  const challenge = findChallenge(db, challenge_id)
  if (challenge?.attempt_id !== attempt_id || challenge.state !== 'verifying') {
    return refuseWithoutChallenge(domain)
  }
  const settle = (state: Challenge['state']) => mark(db, challenge_id, { state, attempt_id, seq })
  if (found === 'unasked') {
    settle('issued')
    return { done: { verified: false } }
  }
  const inTime = challenge.expires_at > toIso(now)
  settle(found !== 'nothing' && inTime ? 'consumed' : 'invalidated')
  if (found === 'nothing') return { done: { verified: false } }
  if (!inTime) return refuseExpired(domain)
  recordProof(db, { org_id, domain, method: found }, stamp)
  return { done: { verified: true, method: found, verified_at: toIso(now) } }
}

/** Cancels the challenge of a domain that can still be verified. */
export function cancelChallenge(
  db: Sqlite,
  { org_id, domain }: Pick<OperationOf<'ownership.cancel'>, 'org_id' | 'domain'>,
  { now, seq }: AccountStamp,
): Answer {
  const challenge = findLastChallenge(db, org_id, domain)
  if (challenge?.state !== 'issued' || challenge.expires_at <= toIso(now)) {
    return { refused: `no verification of ${domain} is pending`, error: 'not_found' }
  }
  mark(db, challenge.challenge_id, { state: 'invalidated', attempt_id: null, seq })
  return { done: { domain } }
}

function findChallenge(db: Sqlite, challenge_id: string): Challenge | undefined {
  return db.one('select * from ownership_challenges where challenge_id = $challenge_id', {
    challenge_id,
  })
}

/** Finds the last challenge, if one is issued: several challenges of a commit have the same number. */
function findLastChallenge(db: Sqlite, org_id: string, domain: string): Challenge | undefined {
  return db.one(
    `select * from ownership_challenges where org_id = $org_id and domain = $domain
     order by state != 'issued', seq desc limit 1`,
    { org_id, domain },
  )
}

function mark(
  db: Sqlite,
  challenge_id: string,
  { state, attempt_id, seq }: Pick<Challenge, 'state' | 'attempt_id'> & { seq: number },
): void {
  db.run(
    `update ownership_challenges set state = $state, attempt_id = $attempt_id, seq = $seq
     where challenge_id = $challenge_id`,
    { challenge_id, state, attempt_id, seq },
  )
}

function refuseWithoutChallenge(domain: string): Answer {
  const refused = `there is no open challenge for ${domain}: create one`
  return { refused, error: 'not_found' }
}

function refuseExpired(domain: string): Answer {
  const refused = `the challenge for ${domain} has expired: create another one`
  return { refused, error: 'challenge_expired' }
}

export const challengeDefinitions: OperationDefinitions<
  'ownership.issue' | 'ownership.take' | 'ownership.settle' | 'ownership.cancel'
> = {
  'ownership.issue': {
    perform: issueChallenge,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'it expires by itself',
  },
  'ownership.cancel': {
    perform: cancelChallenge,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'its token is stored nowhere: start another verification',
  },
  'ownership.take': {
    perform: claimChallenge,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'the attempt has already started',
  },
  'ownership.settle': {
    perform: settleChallenge,
    requires: { membershipIn: ({ org_id }) => org_id },
    irreversible: 'a proof cannot be undone: remove the domain from the organization',
  },
}
