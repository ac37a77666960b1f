import { toIso } from '../../core/clock.ts'
import type { Badge } from '../../model/badge.ts'
import type { ComplianceState, MonitoringSettings } from '../../model/compliance.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import { isShownToAll } from '../../resolve/agent-keeper.ts'
import { DEGRADED_MS, expireBadges, updateBadges } from '../../resolve/badges.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { loadKeepers } from '../keepers.ts'
import type { OperationDefinitions } from '../operation-definition.ts'
import type { AccountStamp } from '../stamp.ts'

const COLUMNS = `role, adcp_version, state, verified_specialisms, verified_at, degraded_at,
  expires_at, revoked_for`

/** Loads the badges of an agent, revoked ones included. */
export function loadBadges(db: Sqlite, agent_url: string): Badge[] {
  return db.all<Badge>(
    `select ${COLUMNS} from agent_badges where agent_url = $agent_url order by role`,
    { agent_url },
  )
}

/** Replaces the badges of an agent. */
export function writeBadges(
  db: Sqlite,
  agent_url: string,
  badges: readonly Badge[],
  { seq }: AccountStamp,
): void {
  db.run('delete from agent_badges where agent_url = $agent_url', { agent_url })
  db.insert(
    'agent_badges',
    badges.map(badge => ({ agent_url, ...badge, seq })),
  )
}

interface TestedState {
  state: ComplianceState
  settings: MonitoringSettings
  isTested: boolean
  isFullRun: boolean
}

/** Updates the badges of an agent after a run. */
export function reviewBadges(
  db: Sqlite,
  agent_url: string,
  { state, settings, isTested, isFullRun }: TestedState,
  stamp: AccountStamp,
): void {
  const known = loadBadges(db, agent_url)
  const keeper = loadKeepers(db, [agent_url]).get(agent_url)
  const badges = updateBadges(known, {
    state,
    isTested,
    isFullRun,
    isEligible: isShownToAll(keeper),
    isOptedOut: settings.is_opted_out,
    needsRequalification: settings.needs_requalification,
    interval_hours: settings.interval_hours,
    now: stamp.now,
  })
  writeBadges(db, agent_url, badges, stamp)
}

/** Lists agents with a badge that has expired, or was degraded for too long. */
export function listLapsing(db: Sqlite, now: number, limit: number): string[] {
  const rows = db.all<{ agent_url: string }>(
    `select distinct agent_url from agent_badges
     where state != 'revoked' and (expires_at <= $now
       or (state = 'degraded' and degraded_at <= $degraded))
     order by agent_url limit ${limit}`,
    { now: toIso(now), degraded: toIso(now - DEGRADED_MS) },
  )
  return rows.map(({ agent_url }) => agent_url)
}

function expireAgentBadges(
  db: Sqlite,
  { agent_urls }: OperationOf<'badges.lapse'>,
  stamp: AccountStamp,
): Answer {
  for (const agent_url of agent_urls) {
    const badges = loadBadges(db, agent_url)
    writeBadges(db, agent_url, expireBadges(badges, stamp.now), stamp)
  }
  return { done: { agent_urls } }
}

export const badgeDefinitions: OperationDefinitions<'badges.lapse'> = {
  'badges.lapse': {
    perform: expireAgentBadges,
    changesVerdicts: true,
    irreversible: 'the time of the badges was over: a full run that passes earns them again',
  },
}
