import { randomUUID } from 'node:crypto'
import type { MeasuredValues, RoleMetrics } from './role-metrics.ts'

/** Asks a process over its channel for its metrics. */
interface MetricsRequest {
  metrics_request: string
}

interface MetricsAnswer {
  metrics_answer: string
  values: MeasuredValues
}

/** Report of a process about itself; `values` is absent where it does not answer. */
export interface ProcessReport {
  role: string
  values: MeasuredValues | undefined
  /** Its process, where that runs and somebody else asked it. */
  pid?: number | undefined
  /** True where it has just been started, and has not answered yet. */
  isStarting?: boolean
  /** Number of its restarts. */
  restarts: number
}

/** The end of a channel to another process. */
export interface Channel {
  send?(message: object, callback?: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
  off(event: 'message', listener: (message: unknown) => void): unknown
}

/** Answers the supervisor's requests for the metrics of this process. */
export function answerMetricsRequests(channel: Channel, metrics: RoleMetrics): void {
  channel.on('message', async message => {
    if (!isMetricsRequest(message)) return
    const values = await metrics.read().catch(() => [])
    const answer: MetricsAnswer = { metrics_answer: message.metrics_request, values }
    // The supervisor may have ended meanwhile.
    channel.send?.(answer, () => undefined)
  })
}

/** Asks a process for its metrics; undefined where it does not answer in time, as a frozen one. */
export function requestMetrics(
  channel: Channel,
  waitMs: number,
): Promise<MeasuredValues | undefined> {
  const request: MetricsRequest = { metrics_request: randomUUID() }
  return new Promise(resolve => {
    const done = (values?: MeasuredValues) => {
      clearTimeout(timer)
      channel.off('message', hear)
      resolve(values)
    }
    const hear = (message: unknown) => {
      if (isMetricsAnswer(message) && message.metrics_answer === request.metrics_request) {
        done(message.values)
      }
    }
    const timer = setTimeout(done, waitMs)
    channel.on('message', hear)
    try {
      channel.send?.(request, error => error && done())
    } catch {
      done()
    }
  })
}

function isMetricsRequest(message: unknown): message is MetricsRequest {
  return typeof message === 'object' && message !== null && 'metrics_request' in message
}

function isMetricsAnswer(message: unknown): message is MetricsAnswer {
  return typeof message === 'object' && message !== null && 'metrics_answer' in message
}
