import { type Clock, type Instant, SECOND, toIso } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { type Limits, limitMeanings } from '../../pipeline/core/limits.ts'
import type {
  OrganizationUsage,
  UsageName,
} from '../../pipeline/model/responses/organization-usage.ts'
import { getMembers } from '../../pipeline/read/lookups/members.ts'
import {
  listInvitations,
  listOrganizationMembers,
} from '../../pipeline/read/lookups/organizations.ts'
import { listKeys } from '../../pipeline/read/lookups/principals.ts'
import { listSubscriptions } from '../../pipeline/read/lookups/subscriptions.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { Principal } from '../auth/principal.ts'
import type { CrawlQuota } from './crawl-quota.ts'
import { toLimitedUser } from './limited-user.ts'
import type { ReceiverQuota } from './receiver-quota.ts'
import type { WindowUse } from './redis-window-counter.ts'
import type { SaveQuota, SaveWindow } from './save-quota.ts'
import type { StoryboardQuota } from './storyboard-quota.ts'

type LimitUse = OrganizationUsage['limits'][number]

/** A caller who acts for an organization. */
export interface CountedMember {
  principal: Principal
  orgId: string
}

/** Services that know what was used, and how much may be. */
interface UsageServices {
  config: Config
  clock: Clock
  reader: Reader
  quota: CrawlQuota
  saves: SaveQuota
  storyboards: StoryboardQuota
  receivers: ReceiverQuota
}

interface Counted {
  for: LimitUse['counted_for']
  limit: keyof Limits
  windowSeconds: number
  /** Reads the counter; undefined for callers who are not limited. */
  read(member: CountedMember, services: UsageServices): Promise<WindowUse> | undefined
}

interface StoredItem {
  limit?: keyof Limits
  /** Describes an item without a limit. */
  text?: string
  count(orgId: string, services: UsageServices): number
}

const HOUR_S = 3_600
const DAY_S = 86_400

/** Requests that are counted in Redis. */
const counted = {
  saves_per_hour: countSaves('savesPerHour', 'user', HOUR_S),
  saves_per_organization_hour: countSaves('savesPerOrganizationHour', 'hour', HOUR_S),
  saves_per_organization_day: countSaves('savesPerOrganizationDay', 'day', DAY_S),
  crawl_requests_per_hour: {
    for: 'caller',
    limit: 'crawlRequestsPerHour',
    windowSeconds: HOUR_S,
    read: ({ principal }, { quota }) => quota.readUse(toLimitedUser(principal)),
  },
  storyboard_runs_per_hour: {
    for: 'caller',
    limit: 'storyboardRunsPerHour',
    windowSeconds: HOUR_S,
    read: ({ principal }, { storyboards }) => storyboards.readUse('run', principal),
  },
  storyboard_steps_per_hour: {
    for: 'caller',
    limit: 'storyboardStepsPerHour',
    windowSeconds: HOUR_S,
    read: ({ principal }, { storyboards }) => storyboards.readUse('step', principal),
  },
  receiver_questions_per_hour: {
    for: 'organization',
    limit: 'receiverQuestionsPerHour',
    windowSeconds: HOUR_S,
    read: ({ orgId }, { receivers }) => receivers.readUse(orgId),
  },
} satisfies Partial<Record<UsageName, Counted>>

/** Items that an organization stores until somebody removes them. */
const storedItems = {
  subscriptions: {
    limit: 'subscriptionsPerOrganization',
    count: (orgId, { reader }) => listSubscriptions(reader, orgId).length,
  },
  pending_invitations: {
    limit: 'invitationsPending',
    count: (orgId, { reader }) => listInvitations(reader, orgId).length,
  },
  agents: {
    text: 'agents per organization',
    count: (orgId, { reader }) =>
      getMembers(reader).all.find(({ org_id }) => org_id === orgId)?.agents.length ?? 0,
  },
  api_keys: {
    text: 'active API keys per organization',
    count: (orgId, { reader }) => listKeys(reader, orgId).length,
  },
  people: {
    text: 'people per organization',
    count: (orgId, { reader }) => listOrganizationMembers(reader, orgId).length,
  },
} satisfies Record<Exclude<UsageName, keyof typeof counted>, StoredItem>

/**
 * Reads how much of each limit a member has used, without counting anything itself. While Redis is down the
 * numbers that it holds are unknown, and `is_complete` is false.
 */
export async function readUsage(
  member: CountedMember,
  services: UsageServices,
): Promise<Pick<OrganizationUsage, 'is_complete' | 'limits'>> {
  let is_complete = true
  const unknown = () => {
    is_complete = false
    return undefined
  }
  const entries = Object.entries<Counted>(counted) as [UsageName, Counted][]
  const windows = await Promise.all(
    entries.map(async ([name, { read, ...limit }]) => {
      const reading = read(member, services)
      if (reading === undefined) return toUnlimited(name, limit)
      return toWindowUse(name, limit, await reading.catch(unknown), services)
    }),
  )
  const stored = (Object.entries<StoredItem>(storedItems) as [UsageName, StoredItem][]).map(
    ([name, item]) => toStoredItemUse(name, item, member.orgId, services),
  )
  return { is_complete, limits: [...windows, ...stored] }
}

function countSaves(limit: keyof Limits, window: SaveWindow, windowSeconds: number): Counted {
  return {
    for: window === 'user' ? 'caller' : 'organization',
    limit,
    windowSeconds,
    read: ({ principal, orgId: organization }, { saves, clock }) =>
      saves.readUse(window, { user: principal.id, organization }, clock.now()),
  }
}

function toWindowUse(
  name: UsageName,
  { for: counted_for, limit, windowSeconds: window_seconds }: Omit<Counted, 'read'>,
  use: WindowUse | undefined,
  { config, clock }: UsageServices,
): LimitUse {
  const max = config.LIMITS[limit]
  const used = use?.used ?? null
  const remaining = used === null ? null : Math.max(0, max - used)
  const resets_at = use?.resetMs === undefined ? null : toMoment(clock.now() + use.resetMs)
  const text = limitMeanings[limit]
  return { name, text, counted_for, max, window_seconds, used, remaining, resets_at }
}

/** Rounds up to seconds, so that more is allowed at the time that callers are told. */
function toMoment(at: Instant): string {
  return toIso(Math.ceil(at / SECOND) * SECOND)
}

/** Describes a limit that does not apply to the caller. */
function toUnlimited(
  name: UsageName,
  { for: counted_for, limit, windowSeconds: window_seconds }: Omit<Counted, 'read'>,
): LimitUse {
  return {
    name,
    text: limitMeanings[limit],
    counted_for,
    max: null,
    window_seconds,
    used: null,
    remaining: null,
    resets_at: null,
  }
}

function toStoredItemUse(
  name: UsageName,
  { limit, text, count }: StoredItem,
  orgId: string,
  services: UsageServices,
): LimitUse {
  const used = count(orgId, services)
  const max = limit === undefined ? null : services.config.LIMITS[limit]
  return {
    name,
    text: limit === undefined ? (text ?? name) : limitMeanings[limit],
    counted_for: 'organization',
    max,
    window_seconds: null,
    used,
    remaining: max === null ? null : Math.max(0, max - used),
    resets_at: null,
  }
}
