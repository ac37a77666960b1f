import type { ServingStore } from '../../serving/lmdb.ts'
import { listPortfolioEntries } from '../../serving/portfolio-record.ts'

/** Checks that the portfolios of houses follow from the brands in the store. Counts their entries. */
export function checkPortfolios(serving: ServingStore): { wrong: string[]; count: number } {
  const wrong: string[] = []
  let count = 0
  for (const { key: domain, value } of serving.entries('brand')) {
    // The next read from the store invalidates the bytes of an iterated value, so they are copied.
    const entries = listPortfolioEntries(domain as string, Buffer.from(value))
    count += entries.length
    for (const { key, value } of entries) {
      if (serving.get('portfolio', key)?.equals(value) !== true)
        wrong.push(`serving: portfolio ${key} differs`)
    }
  }
  return { wrong, count }
}
