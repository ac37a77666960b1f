import { RoleMetrics } from '../../jobs/metrics/role-metrics.ts'

/** A call of a task, successful or not. */
export interface MeasuredCall {
  tenant: string
  /** Name of the task, if it exists: labels never contain text from callers. */
  task: string | undefined
  /** Code of the failure. */
  code: string | undefined
  tookMs: number
}

/** Counts tasks by tenant, name and outcome, over both transports. */
export class AgentMetrics {
  readonly #calls
  readonly #seconds

  constructor(role = new RoleMetrics('agent')) {
    this.#calls = role.getCounter('registry_agent_calls_total')
    this.#seconds = role.getHistogram('registry_agent_call_seconds')
  }

  count({ tenant, task = 'unknown', code = 'ok', tookMs }: MeasuredCall): void {
    this.#calls.labels(tenant, task, code).inc()
    this.#seconds.labels(tenant, task).observe(tookMs / 1000)
  }
}
