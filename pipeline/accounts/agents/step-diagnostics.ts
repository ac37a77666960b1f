import type { StepDiagnostic } from '../../model/step-diagnostic.ts'
import type { Database } from '../../store/duckdb.ts'

/** Runs of one agent, of all storyboards and of single ones each, whose steps are stored. */
const DIAGNOSED_RUNS_MAX = 5

/** Stores the steps of a run; those of older runs are deleted. */
export async function keepDiagnostics(
  db: Database,
  { agent_url, tested_at }: { agent_url: string; tested_at: string },
  {
    run_id,
    diagnostics,
    seq,
  }: { run_id: string; diagnostics: readonly StepDiagnostic[]; seq: number },
): Promise<void> {
  const rows = diagnostics.map((step, i) => ({
    ...step,
    run_id,
    agent_url,
    position: i + 1,
    captured_at: tested_at,
    seq,
  }))
  await db.insert('storyboard_diagnostics', rows)
  const last = (from: string) => `run_id not in (select run_id from ${from}
    order by tested_at desc, run_id desc limit ${DIAGNOSED_RUNS_MAX})`
  await db.write(
    'delete from',
    'storyboard_diagnostics',
    `where agent_url = $agent_url
       and ${last('compliance_runs where agent_url = $agent_url')}
       and ${last(`storyboard_runs where agent_url = $agent_url and kind = 'run'`)}`,
    { agent_url },
  )
}
