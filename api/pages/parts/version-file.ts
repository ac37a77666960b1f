import type { RevisionHeld } from '../../../pipeline/model/responses/history.ts'
import type { EntryRow } from '../../../pipeline/model/rows.ts'
import type { Contact, HostedProperty } from '../../../pipeline/model/save.ts'
import {
  buildHostedAdagents,
  buildHostedAdagentsFile,
} from '../../../pipeline/resolve/hosted-adagents.ts'
import { buildHostedBrand } from '../../../pipeline/resolve/hosted-brand.ts'

/**
 * Builds the file that the registry would serve for a version of an entry; undefined where it would serve none. The contact is
 * for those who can change the entry.
 */
export function buildVersionFile(
  entity: EntryRow['entity'],
  version: RevisionHeld,
  contact?: Contact,
): Record<string, unknown> | undefined {
  const { domain, content, created_at: updated_at, source } = version
  if (content === null || source === 'enriched') return undefined
  const { brand_name = null, document } = content
  if (entity === 'brand') return buildHostedBrand({ domain, brand_name, document, updated_at }).file
  const { properties = [] } = document as { properties?: HostedProperty[] }
  return buildHostedAdagentsFile(buildHostedAdagents({ domain, properties, updated_at }), contact)
}
