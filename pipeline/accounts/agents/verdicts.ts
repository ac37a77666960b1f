import type { AgentVerdict, BadgeHistory } from '../../model/agent-verdict.ts'
import type { Badge } from '../../model/badge.ts'
import {
  type ComplianceState,
  type MonitoringSettings,
  usualSettings,
} from '../../model/compliance.ts'
import { isShownToAll } from '../../resolve/agent-keeper.ts'
import { toBadgeKey } from '../../resolve/badges.ts'
import { countPassing, sumByTrack } from '../../resolve/compliance.ts'
import { STATE_COLUMNS } from '../../store/private-rows/compliance-columns.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import { loadKeepers } from '../keepers.ts'

/** Verdicts of `agents`; an agent without one is not shown to everybody. */
export interface KnownVerdicts {
  agents: readonly string[]
  verdicts: readonly AgentVerdict[]
  histories: ReadonlyMap<string, BadgeHistory>
}

/** Loads the verdicts of these agents, and the history of their badges. */
export function loadVerdicts(db: Sqlite, agents: readonly string[]): KnownVerdicts {
  const theirs = `agent_url in (select value from json_each($agents))`
  const parameters = { agents: JSON.stringify(agents) }
  const select = <Row>(columns: string, table: string) =>
    db.all<Row & { agent_url: string }>(
      `select agent_url, ${columns} from ${table} where ${theirs} order by agent_url`,
      parameters,
    )
  const states = select<ComplianceState>(STATE_COLUMNS, 'agent_compliance')
  const settings = select<MonitoringSettings>(
    'lifecycle_stage, is_opted_out, generation',
    'agent_monitoring',
  )
  const badges = Map.groupBy(
    select<Badge>('role, adcp_version, state, verified_specialisms, revoked_for', 'agent_badges'),
    row => row.agent_url,
  )
  const keepers = loadKeepers(db, agents)
  const settingsByAgent = new Map(settings.map(row => [row.agent_url, row]))
  const toHistory = (agent_url: string): BadgeHistory => ({
    generation: settingsByAgent.get(agent_url)?.generation ?? 0,
    losses: Object.fromEntries(
      (badges.get(agent_url) ?? []).map(badge => [toBadgeKey(badge), badge.revoked_for]),
    ),
  })
  const shown = states.filter(({ agent_url }) => isShownToAll(keepers.get(agent_url)))
  return {
    agents,
    verdicts: shown.map(state =>
      toVerdict(
        state,
        settingsByAgent.get(state.agent_url) ?? usualSettings,
        badges.get(state.agent_url) ?? [],
      ),
    ),
    histories: new Map(agents.map(agent_url => [agent_url, toHistory(agent_url)])),
  }
}

function toVerdict(
  state: ComplianceState & { agent_url: string },
  { lifecycle_stage, is_opted_out }: MonitoringSettings,
  badges: readonly Badge[],
): AgentVerdict {
  const { agent_url, status, headline, storyboards, streak_days, last_checked_at } = state
  if (is_opted_out) return buildOptedOut(agent_url, lifecycle_stage)
  const { passing, total } = countPassing(storyboards)
  const held = badges.filter(badge => badge.state !== 'revoked')
  return {
    agent_url,
    status,
    lifecycle_stage,
    headline,
    tracks: sumByTrack(storyboards),
    storyboards_passing: passing,
    storyboards_total: total,
    storyboards: storyboards.map(({ shows: _, has_coverage_gap: __, ...result }) => result),
    streak_days,
    last_checked_at,
    badges: held.map(({ role, adcp_version, verified_specialisms }) => ({
      role,
      adcp_version,
      verified_specialisms,
    })),
  }
}

function buildOptedOut(
  agent_url: string,
  lifecycle_stage: AgentVerdict['lifecycle_stage'],
): AgentVerdict {
  return {
    agent_url,
    status: 'opted_out',
    lifecycle_stage,
    headline: null,
    tracks: {},
    storyboards_passing: 0,
    storyboards_total: 0,
    storyboards: [],
    streak_days: 0,
    last_checked_at: null,
    badges: [],
  }
}

/** Lists the agents that were tested and are of these organizations, or of none anymore. */
export function listTestedAgents(db: Sqlite, orgIds: readonly string[]): string[] {
  if (orgIds.length === 0) return []
  const rows = db.all<{ agent_url: string }>(
    `select agent_url from agent_compliance
     where agent_url not in (select agent_url from member_agents)
       or agent_url in (select agent_url from member_agents
         where org_id in (select value from json_each($orgs)))
     order by agent_url`,
    { orgs: JSON.stringify(orgIds) },
  )
  return rows.map(({ agent_url }) => agent_url)
}
