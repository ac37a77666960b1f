/** An adagents.json at its limits, of some shape. */
export interface LargeFile {
  authorized_agents?: object[]
  properties?: object[]
  collections?: object[]
  placements?: object[]
  formats?: object[]
}

function times<Item>(n: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: n }, (_, i) => item(i))
}

function property(i: number, more: object = {}): object {
  return {
    property_type: 'website',
    name: `P${i}`,
    property_id: `p${i}`,
    tags: ['t'],
    identifiers: [{ type: 'rss_url', value: `https://f.example/${i}` }],
    ...more,
  }
}

function entry(i: number, more: object): object {
  return { url: `https://a${i}.agents.example`, authorized_for: 'All', ...more }
}

/** Encodes the bits of a number as tags, so that many combinations reach many different sets. */
function tagsIn(number: number, bits: number): string[] {
  return times(bits, bit => bit).flatMap(bit => ((number >> bit) & 1 ? `b${bit}` : []))
}

/**
 * Shapes of files that each come to about `rows` rows of the registry, or to as many pairs as `reach`
 * says. What they name of others is below `domain`.
 */
export const largeShapes = {
  /** Each agent may sell one property. */
  ids: (rows: number) => ({
    authorized_agents: times(rows / 2, i =>
      entry(i, { authorization_type: 'property_ids', property_ids: [`p${i}`] }),
    ),
    properties: times(rows / 2, i => property(i)),
  }),
  /** All agents may sell all properties. */
  tagged: (rows: number, reach: number) => {
    const side = Math.floor(Math.sqrt(reach))
    return {
      authorized_agents: times(side, i =>
        entry(i, { authorization_type: 'property_tags', property_tags: ['t'] }),
      ),
      properties: times(Math.min(side, rows), i => property(i)),
    }
  },
  /** Each agent may sell another half of the properties. */
  sets: (rows: number, reach: number) => {
    const agents = Math.floor(Math.sqrt(reach * 1.4))
    return {
      authorized_agents: times(agents, i =>
        entry(i, { authorization_type: 'property_tags', property_tags: tagsIn(i + 1, 11) }),
      ),
      properties: times(Math.min(agents, rows), i =>
        property(i, { tags: tagsIn((i * 2_654_435) % 2_047, 11).slice(0, 4) }),
      ),
    }
  },
  /** Each agent brings a property of its own. */
  inline: (rows: number) => ({
    authorized_agents: times(rows / 2, i =>
      entry(i, { authorization_type: 'inline_properties', properties: [property(i)] }),
    ),
  }),
  /** Agents are listed and granted nothing. */
  listed: (rows: number) => ({ authorized_agents: times(rows, i => entry(i, {})) }),
  properties: (rows: number) => ({
    properties: times(rows, i => property(i)),
    authorized_agents: [entry(0, { authorization_type: 'property_tags', property_tags: ['t'] })],
  }),
  /** Few properties have very many identifiers. */
  identifiers: (rows: number) => ({
    properties: times(Math.ceil(rows / 500), i =>
      property(i, {
        identifiers: times(1_000, j => ({ type: 'rss_url', value: `https://f.example/${i}/${j}` })),
      }),
    ),
    authorized_agents: times(100, i =>
      entry(i, { authorization_type: 'property_tags', property_tags: ['t'] }),
    ),
  }),
  collections: (rows: number) => ({
    collections: times(rows, i => ({ collection_id: `c${i}`, name: `C${i}`, kind: 'series' })),
    properties: [property(0)],
    authorized_agents: [
      entry(0, {
        authorization_type: 'property_tags',
        property_tags: ['t'],
        collections: [
          { publisher_domain: 'x.example', collection_ids: times(rows / 10, i => `c${i}`) },
        ],
      }),
    ],
  }),
  placements: (rows: number) => ({
    placements: times(rows, i => ({ placement_id: `q${i}`, name: 'Q', property_tags: ['t'] })),
    properties: times(50, i => property(i)),
    authorized_agents: times(50, i =>
      entry(i, {
        authorization_type: 'property_tags',
        property_tags: ['t'],
        placement_ids: times(rows / 100, j => `q${j}`),
      }),
    ),
  }),
  /** Agents may sell what others own, says the file. */
  claims: (_: number, _reach: number, claims: number) => ({
    authorized_agents: times(50, i =>
      entry(i, {
        authorization_type: 'publisher_properties',
        publisher_properties: [
          {
            selection_type: 'all',
            publisher_domains: times(claims / 50, j => `${i}-${j}.claimed.example`),
          },
        ],
      }),
    ),
    properties: [property(0)],
  }),
} satisfies Record<string, (rows: number, reach: number, claims: number) => LargeFile>

export type LargeShape = keyof typeof largeShapes
