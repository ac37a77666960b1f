import { DAY, type Instant } from '../core/clock.ts'
import type { AdagentsDocument, BrandDocument } from '../model/documents/index.ts'
import type { Faults } from './faults.ts'

/** Warns of a file whose last change is said to be later than any time zone explains. */
export function warnOfFuture(
  document: AdagentsDocument | BrandDocument | undefined,
  now: Instant,
  faults: Faults,
): void {
  if (document === undefined || !('last_updated' in document)) return
  const { last_updated } = document
  if (last_updated === undefined || Date.parse(last_updated) <= now + DAY) return
  const message = `is ${last_updated}, which is in the future: write the time of the last change`
  faults.warn('last_updated', 'in_future', message)
}
