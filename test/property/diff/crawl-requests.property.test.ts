import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY, HOUR, type Instant, MINUTE, toIso } from '../../../pipeline/core/clock.ts'
import { ATTEMPTS_MAX, advance } from '../../../pipeline/diff/crawl-request.ts'
import {
  type Attempt,
  type CrawlRequestRow,
  requestOutcomes,
} from '../../../pipeline/model/crawl-request.ts'
import { type Source, toSourceKey } from '../../../pipeline/model/observation.ts'

const START = Date.parse('2026-11-20T03:00:00Z')
const REQUESTED_SEQ = 10
const final = ['completed', 'invalid', 'failed']

const request: CrawlRequestRow = {
  crawl_request_id: 'request',
  scope: 'domain',
  domain: 'acme.example',
  status: 'queued',
  attempts: 0,
  requested_at: toIso(START),
  requested_seq: REQUESTED_SEQ,
  files: [],
  started_at: null,
  last_attempted_at: null,
  completed_at: null,
  next_attempt_at: null,
  last_error_code: null,
  publishers: null,
  seq: REQUESTED_SEQ,
}
const own: Source[] = [
  { kind: 'brand.json', location: 'acme.example' },
  { kind: 'adagents.json', location: 'acme.example' },
]
const others: Source[] = ['a', 'b', 'c'].map(name => ({
  kind: 'adagents.json',
  location: `https://${name}.example/adagents.json`,
}))

/** Outcome of an attempt, and the files that the answers are read from after it. */
const turn = fc.record({
  outcome: fc.constantFrom(...requestOutcomes),
  began: fc.constantFrom(REQUESTED_SEQ, REQUESTED_SEQ, REQUESTED_SEQ, REQUESTED_SEQ - 1),
  retryAfter: fc.option(fc.integer({ min: 0, max: DAY }), { freq: 5 }),
  needs: fc.subarray(others),
})

/** Fetches what is wanted, each file at its time, until nothing is. */
function runTurns(turns: Iterable<{ outcome: (typeof requestOutcomes)[number] } & Turn>) {
  let state = request
  let needed = own
  let now = START
  const due = new Map<string, { source: Source; at: Instant }>()
  const pauses: number[] = []
  const commit = (attempt?: Attempt) => {
    const attempts = new Map(attempt ? [[toSourceKey(attempt), attempt]] : [])
    const { request: next, dueSources: wanted } = advance(state, needed, attempts, now)
    expect(next.attempts).toBeGreaterThanOrEqual(state.attempts)
    state = next
    for (const { due_at, ...source } of wanted) {
      due.set(toSourceKey(source), { source, at: due_at })
      if (due_at > now) pauses.push(due_at - now)
    }
  }
  commit()
  for (const { outcome, began, retryAfter, needs } of turns) {
    const [first] = [...due.values()].sort((a, b) => a.at - b.at)
    if (first === undefined || final.includes(state.status)) break
    due.delete(toSourceKey(first.source))
    now = Math.max(now, first.at) + MINUTE
    needed = [...own, ...needs]
    const not_before = retryAfter === null ? null : now + retryAfter
    commit({ ...first.source, at: now, outcome, status: null, after_seq: began, not_before })
    expect(state.completed_at !== null).toBe(final.includes(state.status))
    if (!final.includes(state.status)) expect(due.size).toBeGreaterThan(0)
  }
  return { state, pauses, due }
}

interface Turn {
  began: number
  retryAfter: number | null
  needs: Source[]
}

test('a request ends after a bounded number of attempts per file', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 60, maxLength: 60 }), turns => {
      const counting = turns.map(turn => ({ ...turn, began: REQUESTED_SEQ }))
      const { state } = runTurns(counting)
      expect(final).toContain(state.status)
      expect(state.attempts).toBeLessThanOrEqual(ATTEMPTS_MAX)
      expect(state.files.every(({ attempts }) => attempts > 0)).toBe(true)
      expect(state.next_attempt_at).toBeNull()
    }),
  )
})

test('an attempt that began before the request never ends it', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 20 }), turns => {
      const { state } = runTurns(turns.map(turn => ({ ...turn, began: REQUESTED_SEQ - 1 })))
      expect(state).toMatchObject({ status: 'queued', attempts: 0 })
    }),
  )
})

test('retries come after one minute at least and two hours at most, unless the server says otherwise', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 40 }), turns => {
      const { pauses } = runTurns(turns.map(turn => ({ ...turn, retryAfter: null })))
      for (const pause of pauses) {
        expect([MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]).toContain(pause)
      }
    }),
  )
})
