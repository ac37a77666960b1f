import type { ComplianceState } from '../../model/compliance.ts'
import { untestedState } from '../../resolve/compliance.ts'
import { STATE_COLUMNS } from '../../store/private-rows/compliance-columns.ts'
import type { Sqlite } from '../../store/sqlite.ts'
import type { AccountStamp } from '../stamp.ts'

/** Finds the test state of an agent; `unknown` if it was never tested. */
export function findCompliance(db: Sqlite, agent_url: string): ComplianceState {
  const row = db.one<ComplianceState>(
    `select ${STATE_COLUMNS} from agent_compliance where agent_url = $agent_url`,
    { agent_url },
  )
  return row ?? untestedState
}

export function writeCompliance(
  db: Sqlite,
  agent_url: string,
  state: ComplianceState,
  { seq }: Pick<AccountStamp, 'seq'>,
): void {
  db.run('delete from agent_compliance where agent_url = $agent_url', { agent_url })
  db.insert('agent_compliance', [{ agent_url, ...state, seq }])
}
