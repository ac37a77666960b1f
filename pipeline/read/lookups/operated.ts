import { toFiles } from '../../serving/document-value.ts'
import { hashKey } from '../../serving/keys.ts'
import type { NamedAgent } from '../../serving/projections/authority.ts'
import type { Reader } from '../reader.ts'
import { findAgent } from './agents.ts'

/**
 * Lists the agents that a domain operates by its own brand.json: those that the file names and no other
 * file has a better word for. A file at an address is the domain's own where its brand.json leads there.
 */
export function listDeclaredAgents(reader: Reader, domain: string): NamedAgent[] {
  const { serving } = reader
  if (serving === undefined) return []
  const value = serving.peek('brand', domain)
  const addresses =
    (value && toFiles(value))?.filter(({ location }) => location.includes('://')) ?? []
  return [domain, ...addresses.map(({ location }) => location)].flatMap(location => {
    const named = serving.text('operated', hashKey(location))
    if (named === undefined) return []
    return (JSON.parse(named) as NamedAgent[]).filter(
      ({ agent_url }) => findAgent(reader, agent_url).operator?.location === location,
    )
  })
}

/** Finds the name of a domain's brand; the domain itself where it has none. */
export function findBrandName({ serving }: Reader, domain: string): string {
  const value = serving?.peek('brand', domain)
  if (value === undefined) return domain
  const name = NAME.exec(value.toString('utf8', 0, value.length))?.[1]
  return name === undefined ? domain : (JSON.parse(name) as string)
}

/** Matches the name in a stored row, which comes before all members of the document. */
const NAME = /,"brand_name":("(?:[^"\\]|\\.)*")/
