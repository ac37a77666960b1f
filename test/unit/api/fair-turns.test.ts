import { expect, test } from 'vitest'
import { FairTurns } from '../../../api/limits/fair-turns.ts'

/** Work of callers that runs until it is told to end, and in which order it began. */
function open(atOnce: number, waiting: number) {
  const turns = new FairTurns({ atOnce, waiting, busy: 'too much' })
  const begun: string[] = []
  const enders: (() => void)[] = []
  const refused: string[] = []
  const ask = (caller: string, name = caller) => {
    const done = turns.run(caller, () => {
      begun.push(name)
      return new Promise<void>(resolve => enders.push(resolve))
    })
    return done.catch(() => void refused.push(name))
  }
  const waitForTurns = () => new Promise(resolve => setImmediate(resolve))
  const endAll = async () => {
    for (let i = 0; i < 50; i++) {
      enders.shift()?.()
      await waitForTurns()
    }
  }
  return { ask, begun, endAll, refused, settle: waitForTurns, turns }
}

test('callers alternate, however much one of them requested before', async () => {
  const { ask, begun, endAll } = open(1, 100)
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(caller => ask(caller))
  await endAll()
  await Promise.all(all)
  expect(begun.join('')).toBe('aabcaba')
})

test('beyond the bound the caller with the longest queue loses its last place', async () => {
  const { ask, refused, begun, endAll } = open(1, 3)
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('a', 'a4')]
  all.push(ask('b', 'b1'), ask('a', 'a5'), ask('c', 'c1'), ask('d', 'd1'))
  await endAll()
  await Promise.all(all)
  expect(refused.sort()).toEqual(['a3', 'a4', 'a5', 'd1'])
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
})

test('failed work returns its place and reports the failure', async () => {
  const { turns } = open(1, 1)
  for (let i = 0; i < 3; i++) {
    await expect(turns.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    )
  }
  expect(await turns.run('a', () => 1)).toBe(1)
})

test('a refused caller gets a time to retry', async () => {
  const { turns } = open(0, 0)
  await expect(turns.run('a', () => 1)).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: 1,
  })
})
