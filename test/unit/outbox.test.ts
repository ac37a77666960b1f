import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Outbox } from '../../jobs/outbox.ts'
import type { Observation } from '../../pipeline/model/observation.ts'

const MOST = 1_000
const SOON_MS = 500

function seen(location: string, bytes: number): Observation {
  const body = Buffer.alloc(bytes)
  return { kind: 'brand.json', location, observed_at: 1, outcome: 'ok', body }
}

/** An outbox whose sending comes to its end when `arrive` is called, and what it has sent so far. */
function outboxTo() {
  const sent: string[][] = []
  const arriving: ((error?: Error) => void)[] = []
  const outbox = new Outbox(MOST, observations => {
    sent.push(observations.map(({ location }) => location))
    return new Promise((resolve, reject) => {
      arriving.push(error => (error ? reject(error) : resolve()))
    })
  })
  const arrive = async (error?: Error) => {
    arriving.shift()!(error)
    await vi.advanceTimersByTimeAsync(0)
  }
  return { outbox, sent, arrive }
}

/** Whether a promise has come to its end by now. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false
  work.then(
    () => (done = true),
    () => (done = true),
  )
  await vi.advanceTimersByTimeAsync(0)
  return done
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what a batch finds', () => {
  it('is sent on soon, together with what was found meanwhile', async () => {
    const { outbox, sent } = outboxTo()
    for (const name of ['a', 'b']) expect(await isDone(outbox.put(seen(name, 10)))).toBe(true)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(SOON_MS)
    expect(sent).toEqual([['a', 'b']])
  })

  it('is sent at once when it is much, and who found it waits until it has arrived', async () => {
    const { outbox, sent, arrive } = outboxTo()
    await outbox.put(seen('a', 600))
    const second = outbox.put(seen('b', 600))
    expect(await isDone(second)).toBe(false)
    expect(sent).toEqual([['a', 'b']])
    await arrive()
    expect(await isDone(second)).toBe(true)
    expect(await isDone(outbox.put(seen('c', 600)))).toBe(true)
  })

  it('counts until it has arrived, also what was sent on because it was time', async () => {
    const { outbox, sent, arrive } = outboxTo()
    await outbox.put(seen('a', 900))
    await vi.advanceTimersByTimeAsync(SOON_MS)
    const second = outbox.put(seen('b', 200))
    expect(await isDone(second)).toBe(false)
    expect(sent).toEqual([['a']])
    await arrive()
    expect(sent).toEqual([['a'], ['b']])
    await arrive()
    expect(await isDone(second)).toBe(true)
  })

  it('that could not be sent is told to who has more, and at the end', async () => {
    const { outbox, arrive } = outboxTo()
    const first = expect(outbox.put(seen('a', 2_000))).rejects.toThrow('away')
    await vi.advanceTimersByTimeAsync(0)
    await arrive(new Error('away'))
    await first
    await expect(outbox.close()).rejects.toThrow('away')
  })
})
