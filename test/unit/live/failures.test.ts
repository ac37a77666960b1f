import { describe, expect, it } from 'vitest'
import { type Outcome, outcomeNames } from '../../../pipeline/core/outcomes.ts'
import { classifyStatus } from '../../../pipeline/fetch/failures.ts'
import { describeFailure as describeAgent } from '../../../pipeline/live/agent-failures.ts'
import { describeFailure } from '../../../pipeline/live/live-failure.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { toSentence } from '../../../pipeline/parse/check-adagents.ts'
import { describeRepair } from '../../../pipeline/parse/fault-repair.ts'

const statuses = [
  undefined,
  ...[200, 201, 204, 206, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 410],
  ...[413, 415, 418, 421, 425, 429, 431, 451, 500, 501, 502, 503, 504, 520, 599, 600],
]
const failing = outcomeNames.filter(name => name !== 'ok' && name !== 'unchanged')
const observe = (outcome: Outcome, status: number | undefined): Observation => ({
  kind: 'adagents.json',
  location: 'acme.example',
  observed_at: 0,
  outcome,
  ...(status !== undefined && { status }),
})
const explain = (outcome: Outcome, status: number | undefined) =>
  describeFailure(observe(outcome, status))

/** Checks that the sentence about a file says nothing false. */
function checkSentence(outcome: Outcome, status: number | undefined): void {
  const [fault, ...others] = explain(outcome, status)
  const { message, code } = fault!
  expect(others).toEqual([])
  // A status in it was answered, and is what went wrong.
  for (const [, named] of message.matchAll(/\b(\d{3})\b(?<!with 200)/g)) {
    expect(named).toBe(String(status))
  }
  if (status === 200) expect(message).not.toMatch(/answered 200|\(200\)/)
  const named = /\((\d{3})\)/.exec(message)?.[1]
  const isDenial = outcome === 'store_denied' || outcome === 'needs_auth'
  if (named !== undefined && !isDenial) expect(classifyStatus(Number(named))).toBe(outcome)
  // A server that answered was reached, unless it redirected to one that must look like one that was not.
  if (status !== undefined && outcome !== 'refused') {
    expect(message).not.toMatch(/cannot be reached/)
    expect(code).not.toBe('connection')
  }
  expect(message).toMatch(/^[a-z].*: .*[a-z0-9]$/i)
  // It has its own subject, before which the field does not stand once more.
  expect(toSentence(fault!)).toBe(message)
  // Its advice is the one that is shown, so nobody reads another beside it.
  expect(message.endsWith(`: ${describeRepair(fault!)}`), message).toBe(true)
}

describe('the sentence about a file that could not be read', () => {
  it.each(failing)('is not false for %s, whatever the status', outcome => {
    for (const status of statuses) checkSentence(outcome, status)
  })

  it('differs by outcome, except where that would tell private networks apart', () => {
    const unreachable = ['dns_failed', 'connection_failed', 'refused']
    const messages = failing
      .filter(outcome => !unreachable.includes(outcome))
      .map(outcome => explain(outcome, undefined)[0]!.message)
    expect(new Set(messages).size).toBe(messages.length)
    expect(
      new Set(unreachable.map(outcome => JSON.stringify(explain(outcome as Outcome, undefined))))
        .size,
    ).toBe(1)
  })

  it('is that of the attempt where it knows more', () => {
    const faults = [
      { field: 'json', code: 'not_json', message: 'is not JSON', severity: 'error' },
    ] as const
    expect(describeFailure({ ...observe('not_json', 200), faults: [...faults] })).toEqual(faults)
  })

  it('is none for a file that was read', () => {
    for (const outcome of ['ok', 'unchanged'] as const) expect(explain(outcome, 200)).toEqual([])
  })
})

describe('the sentence about an agent that gave no usable answer', () => {
  it.each(failing)('is not false for %s, whatever the status', outcome => {
    for (const status of statuses) {
      for (const detail of ['timed out', 'answers with a web page']) {
        const failure = { outcome, detail, ...(status !== undefined && { status }) }
        const message = describeAgent(failure)
        if (status !== undefined) expect(message).not.toMatch(/cannot be reached|did not answer/)
        expect(message).toMatch(/^the agent /)
      }
    }
  })
})
