import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const ROUNDS = 600

/** Measures the peak heap of a process in which a constant amount stays alive while the rest is garbage. */
async function measurePeakMB(isLean: boolean): Promise<number> {
  const program = `
    import { limitHeapGrowth } from '${new URL('../../../jobs/v8-heap.ts', import.meta.url)}'
    if (${isLean}) limitHeapGrowth()
    const alive = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: 'a' + n, list: [n] }))
    const lately = []
    let peak = 0
    for (let round = 0; round < ${ROUNDS}; round++) {
      for (let n = 0; n < 10_000; n++) lately[(round * 10_000 + n) % 300_000] = { n, list: new Array(10) }
      peak = Math.max(peak, process.memoryUsage().heapTotal)
      await new Promise(resolve => setImmediate(resolve))
    }
    console.log(alive.length && peak / 1e6)`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { stdout, stderr } = await run(process.execPath, args)
  expect(stderr).toBe('')
  return Number(stdout)
}

it('the heap is collected long before V8’s own limit', async () => {
  expect(await measurePeakMB(true)).toBeLessThan(0.8 * (await measurePeakMB(false)))
})
