import { expect, test } from 'vitest'
import { PublicError } from '../../../pipeline/core/errors.ts'
import { FairQueue } from '../../../pipeline/core/fair-queue.ts'

/** Opens a queue whose tasks run until `endAll`, and records the order in which they began. */
function openQueue(concurrency: number, waitingMax: number) {
  const queue = new FairQueue({
    tools: [...Array(concurrency).keys()],
    waitingMax,
    refusal: 'too much',
  })
  const begun: string[] = []
  const enders: (() => void)[] = []
  const refused: string[] = []
  const ask = (caller: string, name = caller) => {
    const done = queue.run(caller, () => {
      begun.push(name)
      return new Promise<void>(resolve => enders.push(resolve))
    })
    return done.catch(() => void refused.push(name))
  }
  const runPending = () => new Promise(resolve => setImmediate(resolve))
  const endAll = async () => {
    for (let i = 0; i < 50; i++) {
      enders.shift()?.()
      await runPending()
    }
  }
  return { ask, begun, endAll, refused, queue }
}

test('callers alternate, however many tasks one of them has waiting', async () => {
  const { ask, begun, endAll } = openQueue(1, 100)
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(caller => ask(caller))
  await endAll()
  await Promise.all(all)
  expect(begun.join('')).toBe('aabcaba')
})

test('beyond the bound the caller with the longest queue loses its last place', async () => {
  const { ask, refused, begun, endAll } = openQueue(1, 3)
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('a', 'a4')]
  all.push(ask('b', 'b1'), ask('a', 'a5'), ask('c', 'c1'), ask('d', 'd1'))
  await endAll()
  await Promise.all(all)
  expect(refused.sort()).toEqual(['a3', 'a4', 'a5', 'd1'])
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
})

test('a task that fails lets the next one run, and its caller gets the error', async () => {
  const { queue } = openQueue(1, 1)
  for (let i = 0; i < 3; i++) {
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    )
  }
  expect(await queue.run('a', () => 1)).toBe(1)
})

test('a refused caller gets a time to retry', async () => {
  const { queue } = openQueue(0, 0)
  await expect(queue.run('a', () => 1)).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: 1,
  })
})

/** Opens a queue of kinds of work, none of which may have all tools, with work that runs until it is told to end, and the list of what has begun. */
function openKinds(tools: number, most: number) {
  const turns = new FairQueue({
    tools: [...Array(tools).keys()],
    shareMax: Math.max(1, tools - 1),
    perLineMax: most,
    refusal: 'too much',
  })
  const begun: string[] = []
  const enders: (() => void)[] = []
  const ask = (kind: string) =>
    turns.run(kind, tool => {
      begun.push(kind)
      return new Promise<number>(resolve => enders.push(() => resolve(tool)))
    })
  const waitForTurns = () => new Promise(resolve => setImmediate(resolve))
  const endNext = async () => {
    enders.shift()!()
    await waitForTurns()
  }
  return { ask, begun, endOne: endNext, settle: waitForTurns, turns }
}

test('a frequent kind of work neither takes all tools nor precedes a rare one', async () => {
  const { ask, begun, endOne: endNext, settle: waitForTurns } = openKinds(3, 100)
  const all = [...Array(10)].map(() => ask('slow'))
  await waitForTurns()
  expect(begun).toEqual(['slow', 'slow'])
  all.push(ask('quick'), ask('other'))
  await waitForTurns()
  expect(begun).toEqual(['slow', 'slow', 'quick'])
  await endNext()
  expect(begun.slice(3)).toEqual(['other'])
  for (let i = 0; i < 11; i++) await endNext()
  expect(begun).toHaveLength(12)
  expect(new Set(await Promise.all(all))).toEqual(new Set([0, 1, 2]))
})

test('work beyond the bound of its kind is refused with a time to retry, and accepted then', async () => {
  const { ask, endOne: endNext, settle: waitForTurns } = openKinds(2, 3)
  const first = [ask('a'), ask('a'), ask('a')]
  const refused = await ask('a').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(PublicError)
  expect(refused).toMatchObject({ status: 503, retryAfterSeconds: 1 })
  await waitForTurns()
  const other = ask('b')
  await waitForTurns()
  for (let i = 0; i < 4; i++) await endNext()
  await Promise.all([...first, other])
  const again = ask('a')
  await waitForTurns()
  await endNext()
  expect(await again).toBeTypeOf('number')
})

test('failed work returns its tool', async () => {
  const { turns } = openKinds(1, 1)
  const failing = () => turns.run('a', () => Promise.reject(new Error('broken')))
  for (let i = 0; i < 3; i++) await expect(failing()).rejects.toThrow('broken')
  expect(await turns.run('a', async tool => tool)).toBe(0)
})
