import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Reader } from '../pipeline/index/reader.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const UNKNOWN = 'unknown'

/** Counts answers by operation and status. Labels are ids of operations, never what callers sent. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'registry_requests_total',
    help: 'answers by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  })
  readonly #seconds = new Histogram({
    name: 'registry_request_seconds',
    help: 'time to answer by operation',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers: [this.#registry],
  })
  readonly #counters = new Map<string, Map<number, Counter.Internal>>()
  readonly #timers = new Map<string, Histogram.Internal<'operation'>>()

  constructor(reader: Reader) {
    collectDefaultMetrics({ register: this.#registry })
    this.#gauge('registry_seq', 'last commit that answers by key show', () => reader.serving?.seq)
    this.#gauge('registry_snapshot_seq', 'last commit that lists show', () => reader.snapshot?.seq)
  }

  answered(operation: string = UNKNOWN, status: number, ms: number): void {
    this.#counterOf(operation, status).inc()
    this.#timerOf(operation).observe(ms / 1000)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  get type(): string {
    return this.#registry.contentType
  }

  #counterOf(operation: string, status: number): Counter.Internal {
    const byStatus = this.#counters.get(operation) ?? new Map<number, Counter.Internal>()
    const known = byStatus.get(status)
    if (known) return known
    const counter = this.#requests.labels(operation, String(status))
    this.#counters.set(operation, byStatus.set(status, counter))
    return counter
  }

  #timerOf(operation: string): Histogram.Internal<'operation'> {
    const known = this.#timers.get(operation)
    if (known) return known
    const timer = this.#seconds.labels(operation)
    this.#timers.set(operation, timer)
    return timer
  }

  #gauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read() ?? 0)
      },
    })
  }
}
