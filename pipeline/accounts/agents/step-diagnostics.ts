import type { StepDiagnostic } from '../../model/storyboards/step-diagnostic.ts'
import type { Sqlite } from '../../store/sqlite.ts'

/** Runs of one agent whose steps are stored: this many of all storyboards, and this many of a single one. */
const DIAGNOSED_RUNS_MAX = 5
/** Requests and answers that are stored of one run. */
const EXCHANGES_MAX = 50

/** Stores the steps of a run; those of older runs are deleted. */
export function storeDiagnostics(
  db: Sqlite,
  { agent_url, tested_at }: { agent_url: string; tested_at: string },
  {
    run_id,
    diagnostics,
    seq,
  }: { run_id: string; diagnostics: readonly StepDiagnostic[]; seq: number },
): void {
  const rows = diagnostics.map(({ exchange: _, guidance: __, ...step }, i) => ({
    ...step,
    run_id,
    agent_url,
    position: i + 1,
    captured_at: tested_at,
    seq,
  }))
  const exchanges = diagnostics.flatMap(({ exchange, guidance }, i) =>
    exchange
      ? [{ run_id, agent_url, position: i + 1, exchange: { ...exchange, guidance }, seq }]
      : [],
  )
  db.insert('storyboard_diagnostics', rows)
  db.insert('storyboard_exchanges', exchanges.slice(0, EXCHANGES_MAX))
  const isOlder = (from: string) => `run_id not in (select run_id from ${from}
    order by tested_at desc, run_id desc limit ${DIAGNOSED_RUNS_MAX})`
  for (const table of ['storyboard_diagnostics', 'storyboard_exchanges'] as const) {
    db.run(
      `delete from ${table} where agent_url = $agent_url
         and ${isOlder('compliance_runs where agent_url = $agent_url')}
         and ${isOlder(`storyboard_runs where agent_url = $agent_url and kind = 'run'`)}`,
      { agent_url },
    )
  }
}
