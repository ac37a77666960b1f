import { expect, test } from 'vitest'
import { FairTaskQueue } from '../../../api/limits/fair-task-queue.ts'

/** Opens a queue whose tasks run until `endAll`, and records the order in which they began. */
function openQueue(concurrency: number, waitingMax: number) {
  const queue = new FairTaskQueue({ concurrency, waitingMax, refusal: 'too much' })
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
