import type { ComplianceState } from '../../model/compliance.ts'
import { untestedState } from '../../resolve/compliance.ts'
import type { Database } from '../../store/duckdb.ts'
import type { AccountStamp } from '../stamp.ts'

export const STATE_COLUMNS = `status, status_changed_at, headline, storyboards, specialisms,
  supports_version, last_checked_at, last_passed_at, last_failed_at, streak_started_at,
  streak_days::double as streak_days`

/** Finds the test state of an agent; `unknown` if it was never tested. */
export async function findCompliance(db: Database, agent_url: string): Promise<ComplianceState> {
  const row = await db.one<ComplianceState>(
    `select ${STATE_COLUMNS} from agent_compliance where agent_url = $agent_url`,
    { agent_url },
  )
  return row ?? untestedState
}

export async function writeCompliance(
  db: Database,
  agent_url: string,
  state: ComplianceState,
  { seq }: Pick<AccountStamp, 'seq'>,
): Promise<void> {
  await db.write('delete from', 'agent_compliance', 'where agent_url = $agent_url', { agent_url })
  await db.insert('agent_compliance', [{ agent_url, ...state, seq }])
}
