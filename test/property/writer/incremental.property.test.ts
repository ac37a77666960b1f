import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkIncremental } from '../../support/checks/incremental-check.ts'

describe('after any nights the index', () => {
  it('equals one that is derived afresh from documents, crawl state and time', async () => {
    const run = await checkIncremental(35, { numRuns: 40 })
    expect(run.failed, fc.defaultReportMessage(run)).toBe(false)
  })

  it('also for all publishers that are not held, and for all once they are released', async () => {
    const holdingAll = { share: 0, factor: 1, rows: 1, publishers: 1 }
    const run = await checkIncremental(20, { numRuns: 20 }, holdingAll)
    expect(run.failed, fc.defaultReportMessage(run)).toBe(false)
  })
})
