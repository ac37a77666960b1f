import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const ROUNDS = 600
const heap = new URL('../../../jobs/v8-heap.ts', import.meta.url)

/** Runs a program in a process of its own, which prints a number. */
async function runProgram(program: string): Promise<number> {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { stdout, stderr } = await run(process.execPath, args)
  expect(stderr).toBe('')
  return Number(stdout)
}

/** Measures the peak heap of a process in which a constant amount stays alive while the rest is garbage. */
function measurePeakMB(isLean: boolean): Promise<number> {
  return runProgram(`
    import { limitHeapGrowth } from '${heap}'
    if (${isLean}) limitHeapGrowth()
    const alive = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: 'a' + n, list: [n] }))
    const lately = []
    let peak = 0
    for (let round = 0; round < ${ROUNDS}; round++) {
      for (let n = 0; n < 10_000; n++) lately[(round * 10_000 + n) % 300_000] = { n, list: new Array(10) }
      peak = Math.max(peak, process.memoryUsage().heapTotal)
      await new Promise(resolve => setImmediate(resolve))
    }
    console.log(alive.length && peak / 1e6)`)
}

/** Measures the memory of a process that had many objects for a while, and has worked on few since. */
function measureRestingMB(isReturning: boolean): Promise<number> {
  return runProgram(`
    import { readFileSync } from 'node:fs'
    import { limitHeapGrowth, returnFreedMemoryDuring } from '${heap}'
    limitHeapGrowth()
    const makeMany = size => Array.from({ length: size }, (_, n) => ({ n, text: 'a' + n, list: [n] }))
    let made = makeMany(600_000).length
    const workOnFew = async () => {
      for (let round = 0; round < 300; round++) {
        made += makeMany(10_000).length
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    await (${isReturning} ? returnFreedMemoryDuring(workOnFew) : workOnFew())
    const [, kB] = /RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
    console.log(made && kB / 1_000)`)
}

it('the heap is collected long before V8’s own limit', async () => {
  expect(await measurePeakMB(true)).toBeLessThan(0.8 * (await measurePeakMB(false)))
})

it('a process that had many objects for a while does not keep their memory', async () => {
  expect(await measureRestingMB(true)).toBeLessThan(0.6 * (await measureRestingMB(false)))
})
