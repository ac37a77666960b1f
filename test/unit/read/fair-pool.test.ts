import { expect, test } from 'vitest'
import { PublicError } from '../../../pipeline/core/errors.ts'
import { FairPool } from '../../../pipeline/read/fair-pool.ts'

/** Creates a pool with work that runs until it is told to end, and the list of what has begun. */
function createPool(tools: number, most: number) {
  const turns = new FairPool([...Array(tools).keys()], most)
  const begun: string[] = []
  const enders: (() => void)[] = []
  const ask = (kind: string) =>
    turns.use(kind, tool => {
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
  const { ask, begun, endOne: endNext, settle: waitForTurns } = createPool(3, 100)
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
  const { ask, endOne: endNext, settle: waitForTurns } = createPool(2, 3)
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
  const { turns } = createPool(1, 1)
  const failing = () => turns.use('a', () => Promise.reject(new Error('broken')))
  for (let i = 0; i < 3; i++) await expect(failing()).rejects.toThrow('broken')
  expect(await turns.use('a', async tool => tool)).toBe(0)
})
