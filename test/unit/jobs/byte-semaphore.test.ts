import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteSemaphore } from '../../../jobs/indexer/byte-semaphore.ts'

const BYTES_MAX = 100

describe('a byte budget', () => {
  it('is only exceeded by a single larger item, and items come in order', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.scheduler(), async (all, scheduler) => {
        const budget = new ByteSemaphore(BYTES_MAX)
        const held = new Set<number>()
        const began: number[] = []
        const work = all.map((bytes, n) =>
          budget.run(bytes, async () => {
            held.add(n)
            began.push(n)
            const together = [...held].map(index => all[index]!)
            const sum = together.reduce((total, size) => total + size, 0)
            expect(sum <= BYTES_MAX || together.filter(size => size > 0).length === 1).toBe(true)
            await scheduler.schedule(Promise.resolve())
            held.delete(n)
          }),
        )
        await scheduler.waitFor(Promise.all(work))
        expect(began).toEqual(all.map((_, n) => n))
      }),
    )
  })

  it('is returned by work that fails', async () => {
    const budget = new ByteSemaphore(BYTES_MAX)
    const failing = budget.run(BYTES_MAX, () => Promise.reject(new Error('ours')))
    await expect(failing).rejects.toThrow('ours')
    expect(await budget.run(BYTES_MAX, async () => 'done')).toBe('done')
  })
})
