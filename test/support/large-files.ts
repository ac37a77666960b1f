/** An adagents.json at its limits, of some shape. */
export interface LargeFile {
  authorized_agents?: object[]
  properties?: object[]
  collections?: object[]
  placements?: object[]
  formats?: object[]
}

function repeat<Item>(n: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: n }, (_, i) => item(i))
}

function buildProperty(i: number, more: object = {}): object {
  return {
    property_type: 'website',
    name: `P${i}`,
    property_id: `p${i}`,
    tags: ['t'],
    identifiers: [{ type: 'rss_url', value: `https://f.example/${i}` }],
    ...more,
  }
}

function buildEntry(i: number, more: object): object {
  return { url: `https://a${i}.agents.example`, authorized_for: 'All', ...more }
}

/** Encodes the bits of a number as tags, so that many combinations reach many different sets. */
function toTags(number: number, bits: number): string[] {
  return repeat(bits, bit => bit).flatMap(bit => ((number >> bit) & 1 ? `b${bit}` : []))
}

/**
 * Shapes of files that each come to about `rows` rows of the registry, or to as many pairs as `reach`
 * says. What they name of others is below `domain`.
 */
export const largeShapes = {
  /** Each agent may sell one property. */
  ids: (rows: number) => ({
    authorized_agents: repeat(rows / 2, i =>
      buildEntry(i, { authorization_type: 'property_ids', property_ids: [`p${i}`] }),
    ),
    properties: repeat(rows / 2, i => buildProperty(i)),
  }),
  /** All agents may sell all properties. */
  tagged: (rows: number, reach: number) => {
    const side = Math.floor(Math.sqrt(reach))
    return {
      authorized_agents: repeat(side, i =>
        buildEntry(i, { authorization_type: 'property_tags', property_tags: ['t'] }),
      ),
      properties: repeat(Math.min(side, rows), i => buildProperty(i)),
    }
  },
  /** Each agent may sell another half of the properties. */
  sets: (rows: number, reach: number) => {
    const agents = Math.floor(Math.sqrt(reach * 1.4))
    return {
      authorized_agents: repeat(agents, i =>
        buildEntry(i, { authorization_type: 'property_tags', property_tags: toTags(i + 1, 11) }),
      ),
      properties: repeat(Math.min(agents, rows), i =>
        buildProperty(i, { tags: toTags((i * 2_654_435) % 2_047, 11).slice(0, 4) }),
      ),
    }
  },
  /** Each agent brings a property of its own. */
  inline: (rows: number) => ({
    authorized_agents: repeat(rows / 2, i =>
      buildEntry(i, { authorization_type: 'inline_properties', properties: [buildProperty(i)] }),
    ),
  }),
  /** Agents are listed and granted nothing. */
  listed: (rows: number) => ({ authorized_agents: repeat(rows, i => buildEntry(i, {})) }),
  properties: (rows: number) => ({
    properties: repeat(rows, i => buildProperty(i)),
    authorized_agents: [
      buildEntry(0, { authorization_type: 'property_tags', property_tags: ['t'] }),
    ],
  }),
  /** Few properties have very many identifiers. */
  identifiers: (rows: number) => ({
    properties: repeat(Math.ceil(rows / 500), i =>
      buildProperty(i, {
        identifiers: repeat(1_000, j => ({
          type: 'rss_url',
          value: `https://f.example/${i}/${j}`,
        })),
      }),
    ),
    authorized_agents: repeat(100, i =>
      buildEntry(i, { authorization_type: 'property_tags', property_tags: ['t'] }),
    ),
  }),
  collections: (rows: number) => ({
    collections: repeat(rows, i => ({ collection_id: `c${i}`, name: `C${i}`, kind: 'series' })),
    properties: [buildProperty(0)],
    authorized_agents: [
      buildEntry(0, {
        authorization_type: 'property_tags',
        property_tags: ['t'],
        collections: [
          { publisher_domain: 'x.example', collection_ids: repeat(rows / 10, i => `c${i}`) },
        ],
      }),
    ],
  }),
  placements: (rows: number) => ({
    placements: repeat(rows, i => ({ placement_id: `q${i}`, name: 'Q', property_tags: ['t'] })),
    properties: repeat(50, i => buildProperty(i)),
    authorized_agents: repeat(50, i =>
      buildEntry(i, {
        authorization_type: 'property_tags',
        property_tags: ['t'],
        placement_ids: repeat(rows / 100, j => `q${j}`),
      }),
    ),
  }),
  /** Agents may sell what others own, says the file. */
  claims: (_: number, _reach: number, claims: number) => ({
    authorized_agents: repeat(50, i =>
      buildEntry(i, {
        authorization_type: 'publisher_properties',
        publisher_properties: [
          {
            selection_type: 'all',
            publisher_domains: repeat(claims / 50, j => `${i}-${j}.claimed.example`),
          },
        ],
      }),
    ),
    properties: [buildProperty(0)],
  }),
} satisfies Record<string, (rows: number, reach: number, claims: number) => LargeFile>

export type LargeShape = keyof typeof largeShapes
