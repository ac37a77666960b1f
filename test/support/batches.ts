import type { Instant } from '../../pipeline/core/clock.ts'
import type { Batch } from '../../pipeline/writer/apply-context.ts'
import {
  buildBrandSave,
  buildKeyWrite,
  buildOrganizationWrite,
  buildProofWrite,
  buildPropertiesSave,
} from './submissions.ts'
import { observeVillageNight } from './village-internet.ts'

const size = 40

/** Builds the first night of a few domains, and an organization with a domain. */
export function buildBaseBatch(at: Instant): Batch {
  const observations = observeVillageNight(1, { count: size, size }, at)
  return {
    observations,
    submissions: [buildOrganizationWrite('Acme'), buildProofWrite('Acme', 'told.example')],
  }
}

/** Edits of a brand and of a publisher, the last of each as the one before it. */
export const saves = [
  buildBrandSave('Acme', 'told.example', 'Told'),
  buildPropertiesSave('Acme', 'told.example', ['One', 'Two']),
  buildBrandSave('Acme', 'told.example', 'Told again'),
  buildPropertiesSave('Acme', 'told.example', ['Two']),
  buildBrandSave('Acme', 'shop.told.example', 'Shop'),
]

/** Builds their next night, a key of the organization, and its saves. */
export function buildNextBatch(at: Instant): Batch {
  const observations = observeVillageNight(2, { count: size, size }, at)
  return { observations, submissions: [buildKeyWrite('Acme', 'of Acme'), ...saves] }
}
