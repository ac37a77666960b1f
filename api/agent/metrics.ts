import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, Registry } from 'prom-client'
import { registerProcessMetrics } from '../operation/process-metrics.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** A call of a task, successful or not. */
export interface MeasuredCall {
  tenant: string
  /** Its name, if the task exists: labels are never text from callers. */
  task: string | undefined
  /** Code of the failure. */
  code: string | undefined
  tookMs: number
}

/** Counts tasks by tenant, name and outcome, over both transports. */
export class AgentMetrics {
  readonly #registry = new Registry()
  readonly #calls = new Counter({
    name: 'registry_agent_calls_total',
    help: 'tasks by tenant, name and error code',
    labelNames: ['tenant', 'task', 'code'],
    registers: [this.#registry],
  })
  readonly #seconds = new Histogram({
    name: 'registry_agent_call_seconds',
    help: 'duration of a task',
    labelNames: ['tenant', 'task'],
    buckets: SECONDS,
    registers: [this.#registry],
  })

  constructor() {
    registerProcessMetrics(this.#registry)
  }

  count({ tenant, task = 'unknown', code = 'ok', tookMs }: MeasuredCall): void {
    this.#calls.labels(tenant, task, code).inc()
    this.#seconds.labels(tenant, task).observe(tookMs / 1000)
  }

  /** Serves the metrics at `/metrics`, for Prometheus. */
  serve(app: FastifyInstance): void {
    app.get('/metrics', { config: { rateLimit: false } }, async (_request, reply) =>
      reply.type(this.#registry.contentType).send(await this.#registry.metrics()),
    )
  }
}
