import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-json.ts'

/** Makes the name as long as it takes for a file of 12,000 properties and as many agents to have 4 to 5 MB. */
const NAME = 'A property with a name of some length, as publishers write them'

/**
 * Reads files near the limits as a crawler does: the agents of one select a property each by its id,
 * those of the other bring one each along. Both name as many agents as properties.
 */
export function observeLargeFiles(properties: number, observedAt: number): Observation[] {
  const numbers = Array.from({ length: properties }, (_, number) => number)
  const listed = numbers.map(buildProperty)
  const byId = numbers.map(number => ({
    ...buildAgent(number),
    authorization_type: 'property_ids',
    property_ids: [`p${number}`],
  }))
  const inline = numbers.map(number => ({
    ...buildAgent(number),
    authorization_type: 'inline_properties',
    properties: [buildProperty(number)],
  }))
  return [
    observe('large-by-id.example', { authorized_agents: byId, properties: listed }, observedAt),
    observe('large-inline.example', { authorized_agents: inline }, observedAt),
  ]
}

function buildProperty(number: number): object {
  return {
    property_type: 'website',
    name: `${NAME} ${number}`,
    property_id: `p${number}`,
    tags: ['t'],
    identifiers: [{ type: 'rss_url', value: `https://feeds.example/${number}` }],
  }
}

function buildAgent(number: number): object {
  return { url: `https://a${number}.agents.example`, authorized_for: 'All' }
}

function observe(location: string, file: object, observedAt: number): Observation {
  const body = Buffer.from(JSON.stringify(file))
  const { outcome, document, faults } = parseDocument('adagents.json', body, {
    domain: location,
    maxFaults: 20,
  })
  return {
    kind: 'adagents.json',
    location,
    observed_at: observedAt,
    status: 200,
    outcome,
    ...(document && { document, hash: hashContent(body) }),
    faults,
    bytes: body.byteLength,
  }
}
