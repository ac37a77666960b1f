import type { Instant } from '../../pipeline/core/clock.ts'
import type { Batch } from '../../pipeline/index/apply.ts'
import { villageNight } from './village.ts'
import { keyOf, writeOf } from './writes.ts'

const size = 40

/** A first night of a few domains. */
export function baseBatch(at: Instant): Batch {
  return { observations: villageNight(1, { count: size, size }, at), submissions: [] }
}

/** Their next night, and an organization with a key. */
export function nextBatch(at: Instant): Batch {
  const observations = villageNight(2, { count: size, size }, at)
  return { observations, submissions: [writeOf('Acme'), keyOf('Acme', 'of Acme')] }
}
