import type { FastifyInstance, FastifyRequest } from 'fastify'
import { runWithinSpan, startSpan } from '../../pipeline/core/trace.ts'

const SERVER_ERROR = 500

/**
 * Starts a span for each request, which lasts until its answer is sent. Only a trusted proxy's trace is
 * continued; otherwise callers could decide which of their requests are exported.
 */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, ReturnType<typeof startSpan>>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, id } = request
    const route = routeOptions.url ?? 'unknown'
    const facts = { 'http.request.method': method, 'http.route': route, request: id }
    const parent = getProxyTrace(request)
    const span = startSpan(`${method} ${route}`, facts, { kind: 'server', parent })
    spans.set(request, span)
    runWithinSpan(span, done)
  })
  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request)
    span?.setAttributes({ 'http.response.status_code': statusCode })
    if (statusCode >= SERVER_ERROR) span?.setAttributes({ 'error.type': String(statusCode) })
    span?.end()
  })
}

function getProxyTrace({ headers, ips }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  const isProxied = ips !== undefined && ips.length > 1
  return isProxied && typeof traceparent === 'string' ? traceparent : undefined
}
