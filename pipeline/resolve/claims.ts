import type { Domain } from '../core/domain.ts'
import { limitClaims } from '../model/claims-size.ts'
import type { AgentEntry, PropertyEntry, Selector } from '../model/documents/index.ts'
import { Selectable } from '../model/selection.ts'
import type { AdagentsInlineDocument } from './grant.ts'
import { isOwn, listHosts, listPropertiesDeclaringOwner } from './property-owners.ts'
import type { Revocations } from './revocation.ts'

/**
 * Claim of a file that an agent can sell for another publisher. Only that publisher's own file grants:
 * a claim is the manager's view, to be compared with it.
 */
export interface Claim {
  entry: AgentEntry
  /** Place in the entry's list of selectors. */
  selector: number
  selected: Selector
  publisher_domain: string
  /** The publisher's properties that the same file lists and the selector reaches. */
  inline: PropertyEntry[]
}

/**
 * Lists the claims of a domain's own file, without those that the file revokes. A file that others point to
 * claims nothing in their names, or thousands would each claim all the others.
 */
export function listClaims(
  domain: Domain,
  document: AdagentsInlineDocument,
  revocations: Revocations,
): Claim[] {
  const known = new Map<string, Selectable>()
  const selectInline = (publisher: string, selector: Selector) => {
    const naming = known.get(publisher) ?? findNamingProperties(document, publisher, revocations)
    known.set(publisher, naming)
    // biome-ignore lint/style/noNonNullAssertion: positions are indexes of the properties
    return listDistinct(naming.select(selector).map(position => naming.properties[position]!))
  }
  return limitClaims(document.agents, domain)
    .filter(entry => entry.authorization_type === 'publisher_properties')
    .flatMap(entry =>
      (entry.publisher_properties ?? []).flatMap((selected, selector) =>
        selected.publisher_domains
          .filter(publisher => publisher !== domain && !revocations.has(publisher))
          .map(publisher_domain => {
            const inline = selectInline(publisher_domain, selected)
            return { entry, selector, selected, publisher_domain, inline }
          }),
      ),
    )
}

/**
 * Finds top-level properties that name the publisher; a property without a name belongs to the
 * serving domain.
 */
function findNamingProperties(
  document: AdagentsInlineDocument,
  publisher: string,
  revocations: Revocations,
): Selectable {
  const counted = listPropertiesDeclaringOwner(document, publisher)
    .filter(property => isOwn(property, publisher))
    .filter(property => !listHosts(property).some(host => revocations.hasOver(host)))
  return new Selectable(counted)
}

/** Lists distinct properties: by id, or by type and name if there is no id. */
function listDistinct(properties: readonly PropertyEntry[]): PropertyEntry[] {
  const first = new Map<string, PropertyEntry>()
  for (const property of properties) {
    const { property_id, property_type, name } = property
    const key = JSON.stringify(property_id === undefined ? [property_type, name] : property_id)
    if (!first.has(key)) first.set(key, property)
  }
  return [...first.values()]
}
