/** Asks the primary process for the metrics of all processes that share its port. */
export interface MetricsRequest {
  metrics_request: string
}

/** Answers a request with the metrics of all, added up. */
export interface MetricsAnswer {
  metrics_answer: string
  text: string
}

export function isMetricsRequest(message: unknown): message is MetricsRequest {
  return typeof message === 'object' && message !== null && 'metrics_request' in message
}

export function isMetricsAnswer(message: unknown): message is MetricsAnswer {
  return typeof message === 'object' && message !== null && 'metrics_answer' in message
}
