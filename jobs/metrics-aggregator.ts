import cluster from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import { isMetricsRequest, type MetricsAnswer } from './api-client/metrics-messages.ts'

/**
 * Answers metrics requests with the sum over the processes that share a port, since a scrape
 * reaches one of them at random. A process that gets no answer reports only its own.
 */
export function answerMetricsRequests(): void {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker, message: unknown) => {
    if (!isMetricsRequest(message)) return
    const text = await all.clusterMetrics().catch(() => undefined)
    if (text === undefined || !worker.isConnected()) return
    const answer: MetricsAnswer = { metrics_answer: message.metrics_request, text }
    worker.send(answer, () => undefined)
  })
}
