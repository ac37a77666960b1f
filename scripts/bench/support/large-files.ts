import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

/** Long enough that a file of 12,000 properties and as many agents has 4 to 5 MB. */
const NAME = 'A property with a name of some length, as publishers write them'

/**
 * Builds the observations of two files near the limits, as a crawler does: each agent of the one
 * selects a property by its id, each agent of the other brings one inline. Both have as many agents
 * as properties.
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
