import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { CallersId } from '../accounts.ts'
import { TaskError } from '../errors.ts'

declare module '../state/store.ts' {
  interface Records {
    audience: Audience
  }
}

const hashed = z.string().regex(/^[a-f0-9]{64}$/, 'must be a lowercase SHA-256')

/** A person known to a caller: never by name or address, only by hashes. */
export const Member = z
  .looseObject({
    external_id: CallersId,
    hashed_email: hashed.optional(),
    hashed_phone: hashed.optional(),
    uids: z.array(z.looseObject({})).min(1).max(100).optional(),
  })
  .refine(member => member.hashed_email || member.hashed_phone || member.uids, {
    message: 'must have hashed_email, hashed_phone or uids',
  })
type Member = z.infer<typeof Member>

/** People in an audience at most. */
const MEMBERS_MAX = 20_000

/** Matched people that an audience needs before it can be used. */
export const MINIMUM_SIZE = 100

/** Percent of people known to the simulated platform. */
const MATCHED_PERCENT = 62

/** An audience. Its members are stored only as a fingerprint of the caller's id. */
export interface Audience {
  audience_id: string
  name?: string
  description?: string
  audience_type: 'crm' | 'suppression' | 'lookalike_seed'
  members: string[]
  syncedAt: Instant
}

/** Adds and removes people. Throws if there would be too many. */
export function applyMembers(
  known: readonly string[],
  add: readonly Member[],
  remove: readonly Member[],
  field: string,
): string[] {
  const members = new Set([...known, ...add.map(hashMember)])
  for (const member of remove) members.delete(hashMember(member))
  if (members.size <= MEMBERS_MAX) return [...members].sort()
  const message = `${field}.add: an audience has at most ${MEMBERS_MAX} people here`
  throw new TaskError('UNSUPPORTED_FEATURE', message, { field: `${field}.add` })
}

function hashMember({ external_id }: Member): string {
  return createHash('sha256').update(external_id).digest('hex').slice(0, 16)
}

/** Describes an audience in the form in which answers show it: how many people it has, and how many are matched. */
export function describeAudience(audience: Audience): Record<string, unknown> {
  const { audience_id, name, members, syncedAt } = audience
  const matched = members.filter(
    member => Number.parseInt(member.slice(0, 8), 16) % 100 < MATCHED_PERCENT,
  )
  return {
    audience_id,
    ...(name !== undefined && { name }),
    status: matched.length >= MINIMUM_SIZE ? 'ready' : 'too_small',
    total_uploaded_count: members.length,
    matched_count: matched.length,
    ...(members.length > 0 && {
      effective_match_rate: Math.round((matched.length / members.length) * 100) / 100,
    }),
    minimum_size: MINIMUM_SIZE,
    last_synced_at: toIso(syncedAt),
  }
}
