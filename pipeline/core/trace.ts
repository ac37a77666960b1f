import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/** Facts about a span: numbers, short texts and public names, never secrets or what callers send. */
export type SpanFacts = Attributes

interface SpanOptions {
  /** Role of the work towards other processes: it answers one, or asks one. */
  kind?: 'server' | 'client'
  /** Trace that the work belongs to, as `getTraceParent` gave it; by default that of the caller. */
  parent?: string | undefined
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

/**
 * Runs work within a span of the current trace; the work may add facts. Costs next to nothing where no
 * traces are exported. What the work throws is thrown on.
 */
export async function traceWork<Result>(
  name: string,
  facts: SpanFacts,
  work: (span: Pick<Span, 'setAttributes'>) => Promise<Result>,
  options: SpanOptions = {},
): Promise<Result> {
  const span = startSpan(name, facts, options)
  try {
    return await context.with(trace.setSpan(context.active(), span), work, undefined, span)
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** Starts a span that does not become the current one; the caller must end it. */
export function startSpan(
  name: string,
  facts: SpanFacts,
  { kind, parent }: SpanOptions = {},
): Span {
  const options = { attributes: facts, ...(kind && { kind: kinds[kind] }) }
  return trace.getTracer('registry').startSpan(name, options, readParent(parent))
}

/** Runs what follows within a span that somebody else ends. */
export function runWithinSpan(span: Span, work: () => void): void {
  context.with(trace.setSpan(context.active(), span), work)
}

/** Adds a span for work that has just ended, and took this many milliseconds. */
export function addSpan(name: string, ms: number): void {
  const now = Date.now()
  trace
    .getTracer('registry')
    .startSpan(name, { startTime: now - ms })
    .end(now)
}

/** Returns the current trace as a W3C `traceparent`, for work that another process does; undefined without one. */
export function getTraceParent(): string | undefined {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent
}

function readParent(traceparent: string | undefined): Context {
  if (traceparent === undefined) return context.active()
  return propagation.extract(ROOT_CONTEXT, { traceparent })
}
