import { getAt } from '../core/present.ts'
import { CLAIMS_MAX, limitClaims } from '../model/claims-size.ts'
import type { AdagentsInline, LeftOutList, PropertyEntry } from '../model/documents/index.ts'
import { PUBLISHER_MAX, RECORD_CHARS_MAX, weighPublisher } from '../model/publisher-size.ts'
import type { ObjectReader } from './object-reader.ts'

/**
 * Reports a file that says more about its own domain than the registry stores of one publisher; such a file
 * does not count at all.
 */
export function checkSize(
  root: ObjectReader,
  { agents, properties, collections }: AdagentsInline,
  domain: string | undefined,
): void {
  if (domain === undefined) return
  const claiming = limitClaims(agents, domain)
  if (claiming.length < agents.length) {
    root.error(
      'authorized_agents',
      'too_broad',
      `name other publishers more than ${CLAIMS_MAX} times: from the entry ${getAt(agents, claiming.length).entry} on nothing is kept of what they say of these`,
    )
  }
  const isOwn = ({ publisher_domain = domain }: PropertyEntry) => publisher_domain === domain
  const inline = agents.flatMap(entry => entry.properties ?? [])
  const grants = agents.filter(({ authorization_type }) => authorization_type !== undefined).length
  const size = weighPublisher({
    properties: [...properties, ...inline].filter(isOwn),
    grants,
    collections: collections.length,
  })
  if (size <= PUBLISHER_MAX) return
  root.error(
    'root',
    'too_broad',
    `says more of ${domain} than is kept of one publisher: ${Math.ceil(size)} properties, agents, collections and further identifiers, of at most ${PUBLISHER_MAX}; the known state stays`,
  )
}

/** Returns an item that fits into one event of the feed; any other is reported and left out. */
export function fitItems<Item>(
  part: ObjectReader,
  list: LeftOutList,
  item: Item | undefined,
): Item | undefined {
  if (item === undefined || JSON.stringify(item).length <= RECORD_CHARS_MAX) return item
  part.faults.leftOut.add(list)
  part.faults.error(
    part.field,
    'too_broad',
    `is longer than ${RECORD_CHARS_MAX} characters and was left out: shorten its lists`,
  )
  return undefined
}
