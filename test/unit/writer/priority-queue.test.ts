import { describe, expect, it } from 'vitest'
import { type Priority, PriorityQueue } from '../../../pipeline/writer/priority-queue.ts'

/** Asks for this work while something runs already; returns the order in which it was done. */
async function runInOrder(asked: readonly (readonly [Priority, string])[]): Promise<string[]> {
  const turns = new PriorityQueue()
  const done: string[] = []
  let end: () => void = () => undefined
  const running = turns.take('others', () => new Promise<void>(resolve => (end = resolve)))
  const all = asked.map(([who, name]) => turns.take(who, async () => void done.push(name)))
  end()
  await Promise.all([running, ...all])
  return done
}

describe('the queue of the writer', () => {
  it('lets a save pass everything that waits, and none that runs', async () => {
    const order = await runInOrder([
      ['others', 'copy'],
      ['others', 'night'],
      ['people', 'save'],
    ])
    expect(order).toEqual(['save', 'copy', 'night'])
  })

  it('lets no work wait for more than one later save', async () => {
    const order = await runInOrder([
      ['people', 'a'],
      ['people', 'b'],
      ['people', 'c'],
      ['others', 'copy'],
      ['others', 'night'],
    ])
    expect(order).toEqual(['a', 'copy', 'b', 'night', 'c'])
  })

  it('knows that people are saving, and not what else it does', async () => {
    const turns = new PriorityQueue()
    await turns.take('others', async () => undefined)
    expect(turns.arePeopleSaving).toBe(false)
    await turns.take('people', async () => undefined)
    expect(turns.arePeopleSaving).toBe(true)
  })

  it('continues after failed work', async () => {
    const turns = new PriorityQueue()
    const failed = turns.take('people', async () => {
      throw new Error('no')
    })
    const next = turns.take('others', async () => 'done')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('done')
    await turns.settled()
    expect(await turns.take('people', async () => 'again')).toBe('again')
  })

  it('is empty when all work is done', async () => {
    const turns = new PriorityQueue()
    const done: string[] = []
    const work = (name: string) => async () => void done.push(name)
    const asked = ['a', 'b', 'c'].map(name => turns.take('people', work(name)))
    await turns.settled()
    expect(done).toEqual(['a', 'b', 'c'])
    await Promise.all(asked)
  })
})
