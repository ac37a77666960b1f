import type { AgentDiagnostic } from '../../pipeline/model/responses/monitoring.ts'
import type { StepDiagnostic } from '../../pipeline/model/step-diagnostic.ts'

/** Shows the steps of a run to the organization of the agent. */
export function showDiagnostics(
  run: Pick<AgentDiagnostic, 'run_id' | 'agent_url' | 'captured_at'>,
  steps: readonly StepDiagnostic[],
): AgentDiagnostic[] {
  const { run_id, agent_url, captured_at } = run
  return steps.map(({ failed_validations, ...step }, i) => ({
    id: `${run_id}/${i + 1}`,
    run_id,
    agent_url,
    ...step,
    failed_validations_jsonb: failed_validations,
    captured_at,
  }))
}
