import type { Instant } from '../../pipeline/core/clock.ts'
import type { Batch } from '../../pipeline/writer/apply-batch.ts'
import { villageNight } from './village.ts'
import { brandOf, keyOf, proofOf, propertiesOf, writeOf } from './writes.ts'

const size = 40

/** A first night of a few domains, and an organization with a domain. */
export function baseBatch(at: Instant): Batch {
  const observations = villageNight(1, { count: size, size }, at)
  return { observations, submissions: [writeOf('Acme'), proofOf('Acme', 'told.example')] }
}

/** Edits of a brand and of a publisher, the last of each as the one before it. */
export const saves = [
  brandOf('Acme', 'told.example', 'Told'),
  propertiesOf('Acme', 'told.example', ['One', 'Two']),
  brandOf('Acme', 'told.example', 'Told again'),
  propertiesOf('Acme', 'told.example', ['Two']),
  brandOf('Acme', 'shop.told.example', 'Shop'),
]

/** Their next night, a key of the organization, and what it tells of its domain. */
export function nextBatch(at: Instant): Batch {
  const observations = villageNight(2, { count: size, size }, at)
  return { observations, submissions: [keyOf('Acme', 'of Acme'), ...saves] }
}
