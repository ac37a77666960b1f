import { ANY_KEY, NAMING_KEY, toSurrogateKey } from '../../core/surrogate-keys.ts'
import type { Identifier } from '../../model/documents/index.ts'
import { isUrl } from '../../model/observation.ts'
import { listLookupKeys } from '../../resolve/identifiers.ts'
import { hashAgent, hashKey, toAgentKey, toElsewhereKey } from '../../serving/keys.ts'
import type { Reader } from '../reader.ts'
import { findAgent, isOperatorSilent } from './agents.ts'
import { findPropertyPlaces } from './candidates.ts'
import { listFilesOfPublisher } from './deciding-files.ts'
import { findInventory } from './inventory.ts'
import { findTargets } from './stored.ts'

/** Agents of a publisher, or properties of an identifier, beyond which an answer depends on anything. */
const KEYED_MAX = 20

/** Lists the keys of answers that depend on what is known of a domain alone. */
export function listDomainKeys(domain: string): string[] {
  return [toSurrogateKey('domain', domain)]
}

/** Lists the keys of answers that say what an agent's operator declares of sales by one publisher. */
export function listAgentKeys(reader: Reader, agentUrl: string): string[] {
  const { agent_url, publisher_count, operator } = findAgent(reader, agentUrl)
  const [folded = ''] = toAgentKey(agentUrl).split(' ')
  // An agent that is known under this address stays so while any publisher grants it something.
  const isFixed = agent_url === agentUrl && publisher_count > 0
  return [
    NAMING_KEY,
    ...(isFixed ? [] : [toSurrogateKey('agent', folded)]),
    ...(operator === null ? [] : listFileKeys(operator.location)),
  ]
}

/** Lists the keys of answers that list the publishers of an agent. */
export function listReachKeys(reader: Reader, agentUrl: string): string[] {
  const agent = findAgent(reader, agentUrl)
  const [folded = ''] = toAgentKey(agentUrl).split(' ')
  return [
    ...listAgentKeys(reader, agentUrl),
    toSurrogateKey('agent', folded),
    toSurrogateKey('agent', hashAgent(agent.agent_url)),
    // The brand.json of each publisher tells whether it is a site of the operator.
    ...(isOperatorSilent(reader, agent) ? [] : [ANY_KEY]),
  ]
}

/**
 * Lists the keys of answers about one publisher, without those of its agents. A file that its own one points to decides
 * as well, also while it was never read.
 */
export function listPublisherKeys(reader: Reader, domain: string): string[] {
  const files = listFilesOfPublisher(reader, domain)
  const targets = files.slice(0, 1).flatMap(first => findTargets(reader, first))
  const deciding = [...files, ...targets.map(({ source }) => source)]
  return [domain, ...deciding.map(({ location }) => location)].flatMap(listFileKeys)
}

/** Lists the keys of answers about a publisher and what the operators of its agents declare. */
export function listSellerKeys(reader: Reader, domain: string): string[] {
  const agents = [...(findInventory(reader, domain)?.agents ?? [])]
  if (agents.length > KEYED_MAX) return [ANY_KEY]
  const operators = agents.flatMap(agent => listAgentKeys(reader, agent))
  return [...listPublisherKeys(reader, domain), NAMING_KEY, ...operators]
}

/** Lists the keys of answers about the properties that an identifier names; `ofPublisher` lists those of an owner. */
export function listIdentifierKeys(
  reader: Reader,
  identifier: Identifier,
  ofPublisher: (reader: Reader, domain: string) => string[],
): string[] {
  const places = findPropertyPlaces(reader, identifier)
  if (places.length > KEYED_MAX) return [ANY_KEY]
  const granted = places.map(({ rid }) => toElsewhereKey(rid, '').trim())
  const names = [...listLookupKeys(identifier).map(hashKey), ...granted]
  const publishers = new Set(places.flatMap(place => place.publishers))
  return [
    ...names.map(name => toSurrogateKey('identifier', name)),
    ...[...publishers].flatMap(domain => ofPublisher(reader, domain)),
  ]
}

/** Lists the keys of what a file says: by its address, and by the domain whose file it is. */
function listFileKeys(location: string): string[] {
  const file = toSurrogateKey('file', hashKey(location))
  return isUrl(location) ? [file] : [file, toSurrogateKey('domain', location)]
}
