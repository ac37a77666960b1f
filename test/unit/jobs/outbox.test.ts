import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Outbox } from '../../../jobs/crawler/outbox.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'

const OUTBOX_BYTES_MAX = 1_000
const SOON_MS = 500

function buildObservation(location: string, bytes: number): Observation {
  const body = Buffer.alloc(bytes)
  return { kind: 'brand.json', location, observed_at: 1, outcome: 'ok', body }
}

/** Creates an outbox whose sends finish when `arrive` is called, and the list of what it has sent. */
function createOutbox() {
  const sent: string[][] = []
  const arriving: ((error?: Error) => void)[] = []
  const outbox = new Outbox(OUTBOX_BYTES_MAX, observations => {
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

/** Tells whether a promise has settled. */
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

describe('the observations of a batch', () => {
  it('are sent soon, together with those found meanwhile', async () => {
    const { outbox, sent } = createOutbox()
    for (const name of ['a', 'b'])
      expect(await isDone(outbox.put(buildObservation(name, 10)))).toBe(true)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(SOON_MS)
    expect(sent).toEqual([['a', 'b']])
  })

  it('are sent at once when they are many, and the sender waits until they arrived', async () => {
    const { outbox, sent, arrive } = createOutbox()
    for (const name of ['a', 'b']) await outbox.put(buildObservation(name, 600))
    expect(sent).toEqual([['a', 'b']])
    const more = ['c', 'd', 'e'].map(name => outbox.put(buildObservation(name, 600)))
    for (const work of more) expect(await isDone(work)).toBe(false)
    await arrive()
    expect(await Promise.all(more.map(isDone))).toEqual([true, true, false])
    expect(sent).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('count until they have arrived, also those sent by the timer', async () => {
    const { outbox, sent, arrive } = createOutbox()
    await outbox.put(buildObservation('a', 900))
    await vi.advanceTimersByTimeAsync(SOON_MS)
    await outbox.put(buildObservation('b', 200))
    const third = outbox.put(buildObservation('c', 200))
    expect(await isDone(third)).toBe(false)
    expect(sent).toEqual([['a']])
    await arrive()
    await arrive()
    expect(await isDone(third)).toBe(true)
    expect(sent).toEqual([['a'], ['b']])
  })

  it('report a failed delivery to the next sender, and at the end', async () => {
    const { outbox, arrive } = createOutbox()
    await outbox.put(buildObservation('a', 2_000))
    const second = expect(outbox.put(buildObservation('b', 1))).rejects.toThrow('away')
    await vi.advanceTimersByTimeAsync(0)
    await arrive(new Error('away'))
    await second
    await expect(outbox.close()).rejects.toThrow('away')
  })
})
