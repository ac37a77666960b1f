import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { countHeld } from '../../pipeline/read/queries/counts.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { registerProcessMetrics } from './process-metrics.ts'
import { SharedMetrics } from './shared-metrics.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const UNKNOWN = 'unknown'

/** Measures one operation. */
export interface Meter {
  count(status: number): void
  /** Records how long it took to build an answer, after its request was checked. */
  time(ms: number): void
}

/** Counts responses by operation and status. Labels are ids of operations, never text from callers. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'registry_requests_total',
    help: 'responses by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  })
  readonly #seconds = new Histogram({
    name: 'registry_request_seconds',
    help: 'response time by operation',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers: [this.#registry],
  })
  readonly #meters = new Map<string, Meter>()

  readonly #shared = new SharedMetrics(this.#registry)

  constructor(reader: Reader) {
    registerProcessMetrics(this.#registry)
    this.watch('registry_seq', 'last commit in lookups by key', () => reader.serving?.seq, 'min')
    this.watch('registry_snapshot_seq', 'last commit in lists', () => reader.snapshot?.seq, 'min')
    this.watch(
      'registry_held_publishers',
      'publishers whose losses the brake holds back',
      () => reader.snapshot && countHeld(reader.snapshot),
      'max',
    )
  }

  findMeter(operation: string = UNKNOWN): Meter {
    const known = this.#meters.get(operation)
    if (known) return known
    const counters: Counter.Internal[] = []
    const seconds = this.#seconds.labels(operation)
    const meter: Meter = {
      count: status => {
        counters[status] ??= this.#requests.labels(operation, String(status))
        counters[status].inc()
      },
      time: ms => seconds.observe(ms / 1000),
    }
    this.#meters.set(operation, meter)
    return meter
  }

  text(): Promise<string> {
    return this.#shared.text()
  }

  get type(): string {
    return this.#registry.contentType
  }

  /** Reads a value on each scrape; `together` says how the values of several processes are combined. */
  watch(
    name: string,
    help: string,
    read: () => number | Promise<number> | undefined,
    together: 'sum' | 'min' | 'max' = 'sum',
  ): void {
    new Gauge({
      name,
      help,
      aggregator: together,
      registers: [this.#registry],
      async collect() {
        this.set((await read()) ?? 0)
      },
    })
  }
}
