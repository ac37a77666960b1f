import type { StepExchange } from '../model/storyboards/step-exchange.ts'
import type { TaskOutcome } from './judged.ts'
import { redact, shortenText } from './redact.ts'

/** Characters of JSON that are kept of a request, and of an answer. */
const REQUEST_CHARS_MAX = 3_000
const RESPONSE_CHARS_MAX = 5_000
const HEADERS_MAX = 30

/** Bounds of a value, from wide to narrow: the first that make it short enough apply. */
const cuts = [
  { levels: 10, items: 50, chars: 1_000 },
  { levels: 6, items: 10, chars: 300 },
  { levels: 4, items: 5, chars: 100 },
  { levels: 2, items: 5, chars: 100 },
] as const

/** A call as it went over the wire. */
export interface Wire {
  url: string
  task: string
  args: Record<string, unknown>
  /** Absent where nothing came. */
  answer?: { status: number; headers: Readonly<Record<string, string | string[] | undefined>> }
}

const TEXT_NOTE =
  'the result has no structuredContent: it was read from its first text that is JSON'

/** Describes a call and its answer so that the organization of the agent may see both. */
export function describeExchange(
  { url, task, args, answer }: Wire,
  outcome?: TaskOutcome,
): StepExchange {
  const request = { url, operation: task, payload: cut(args, REQUEST_CHARS_MAX) }
  if (answer === undefined) return { request, extraction: { path: 'none' } }
  const { payload = {}, error, isFromText } = outcome ?? {}
  const path = isFromText ? 'text_fallback' : 'structured_content'
  return {
    request,
    response_record: {
      status: answer.status,
      headers: redactHeaders(answer.headers),
      payload: cut(payload, RESPONSE_CHARS_MAX),
    },
    extraction: {
      path: outcome === undefined ? 'none' : error === undefined ? path : 'error',
      ...(isFromText && { note: TEXT_NOTE }),
    },
    ...(error !== undefined && { error: cut(error.body ?? {}, REQUEST_CHARS_MAX) }),
  }
}

function cut(value: unknown, charsMax: number): unknown {
  for (const bounds of cuts) {
    const shown = redact(value, '', bounds)
    if (JSON.stringify(shown).length <= charsMax) return shown
  }
  return '…'
}

function redactHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .slice(0, HEADERS_MAX)
      .map(([name, value]) => [shortenText(name), redact(value, name)]),
  )
}
