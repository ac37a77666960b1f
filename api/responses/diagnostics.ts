import type { StoredExchange } from '../../pipeline/model/agent-test.ts'
import type { AgentDiagnostic } from '../../pipeline/model/responses/monitoring.ts'
import type { StepDiagnostic } from '../../pipeline/model/storyboards/step-diagnostic.ts'

/** Converts the steps of a run for the organization of the agent, with the requests and answers that were stored. */
export function toAgentDiagnostics(
  run: Pick<AgentDiagnostic, 'run_id' | 'agent_url' | 'captured_at'>,
  steps: readonly StepDiagnostic[],
  stored: readonly StoredExchange[] = [],
): AgentDiagnostic[] {
  const { run_id, agent_url, captured_at } = run
  const exchanges = new Map(
    stored.flatMap(row => (row.run_id === run_id ? [[row.position, row.exchange]] : [])),
  )
  return steps.map(({ failed_validations, exchange, ...step }, i) => ({
    id: `${run_id}/${i + 1}`,
    run_id,
    agent_url,
    ...step,
    ...showExchange(exchange ?? exchanges.get(i + 1)),
    failed_validations_jsonb: failed_validations,
    captured_at,
  }))
}

function showExchange(exchange: StoredExchange['exchange'] | undefined): Partial<AgentDiagnostic> {
  if (exchange === undefined) return {}
  const { request, response_record: response, extraction, error, guidance } = exchange
  return {
    ...(guidance && { guidance }),
    served_by_agent_url: request.url,
    request_url: request.url,
    request_jsonb: request.payload,
    ...(response && {
      response_status: response.status,
      response_headers_jsonb: response.headers,
      response_jsonb: response.payload,
    }),
    extraction_path: extraction.path,
    ...(extraction.note !== undefined && { extraction_note: extraction.note }),
    ...(error !== undefined && { adcp_error_jsonb: error }),
  }
}
