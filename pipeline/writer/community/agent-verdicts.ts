import type { KnownVerdicts } from '../../accounts/agents/verdicts.ts'
import { listVerdictEvents } from '../../diff/verdict-events.ts'
import type { AgentVerdict } from '../../model/agent-verdict.ts'
import type { EventDraft } from '../../model/event.ts'
import type { Database } from '../../store/database.ts'

const noHistory = { generation: 0, losses: {} }

const COLUMNS = `agent_url, status, lifecycle_stage, headline, tracks,
  storyboards_passing as storyboards_passing, storyboards_total as storyboards_total,
  storyboards, streak_days as streak_days, last_checked_at, badges`

/** Stores the public compliance status of agents; returns the events of what changed. */
export async function applyVerdicts(
  db: Database,
  { agents, verdicts, histories }: KnownVerdicts,
  { seq }: { seq: number },
): Promise<EventDraft[]> {
  const isNamed = `agent_url in (select value from json_each($agents))`
  const before = new Map(
    (await loadVerdicts(db, `where ${isNamed}`, { agents: JSON.stringify(agents) })).map(row => [
      row.agent_url,
      row,
    ]),
  )
  const after = new Map(verdicts.map(row => [row.agent_url, row]))
  const changed = agents.filter(url => !isSame(before.get(url), after.get(url)))
  if (changed.length === 0) return []
  await db.write('delete from', 'agent_standings', `where ${isNamed}`, {
    agents: JSON.stringify(changed),
  })
  const rows = changed.flatMap(url => after.get(url) ?? [])
  await db.insert(
    'agent_standings',
    rows.map(row => ({ ...row, seq })),
  )
  return changed.flatMap(url =>
    listVerdictEvents(url, before.get(url), after.get(url), histories.get(url) ?? noHistory),
  )
}

function loadVerdicts(
  db: Database,
  where: string,
  parameters: Record<string, string>,
): Promise<AgentVerdict[]> {
  return db.all<AgentVerdict>(
    `select ${COLUMNS} from agent_standings ${where} order by agent_url`,
    parameters,
  )
}

/** Compares verdicts by content; members may be in another order. */
function isSame(one: AgentVerdict | undefined, other: AgentVerdict | undefined): boolean {
  return toText(one) === toText(other)
}

function toText(verdict: AgentVerdict | undefined): string {
  if (verdict === undefined) return ''
  const entries = Object.entries(verdict).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(entries)
}
