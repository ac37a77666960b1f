import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { isMetricsAnswer, type MetricsRequest } from '../../jobs/api-client/metrics-messages.ts'

const WAIT_MS = 3_000

/** Reads metrics, including those of the processes that share this one's port. */
export class SharedMetrics {
  readonly #own: Registry
  readonly #isShared = cluster.isWorker

  constructor(own: Registry) {
    this.#own = own
    if (!this.#isShared) return
    AggregatorRegistry.setRegistries(own)
    // Built for its listener, which answers the other processes.
    new AggregatorRegistry()
  }

  /** Returns the metrics of all processes; of this one alone while the others cannot be reached. */
  async text(): Promise<string> {
    return (this.#isShared && (await this.#ofAll())) || this.#own.metrics()
  }

  #ofAll(): Promise<string | undefined> {
    const request: MetricsRequest = { metrics_request: randomUUID() }
    return new Promise(resolve => {
      const done = (text?: string) => {
        clearTimeout(timer)
        process.off('message', hear)
        resolve(text)
      }
      const hear = (message: unknown) => {
        if (isMetricsAnswer(message) && message.metrics_answer === request.metrics_request) {
          done(message.text)
        }
      }
      const timer = setTimeout(done, WAIT_MS)
      process.on('message', hear)
      process.send?.(request, undefined, undefined, error => error && done())
    })
  }
}
