import { describe, expect, it, test } from 'vitest'
import { AdagentsDocument, type AdagentsInline } from '../../../pipeline/model/documents/index.ts'
import { countEntries } from '../../../pipeline/parse/check-adagents.ts'
import { describeRepair } from '../../../pipeline/parse/fault-repair.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

type Json = Record<string, unknown>

function parse(body: unknown, domain: string | undefined = 'acme.example', maxFaults = 200) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return parseDocument('adagents.json', bytes, { domain, maxFaults })
}

/** Parses a file, without the two notes that every short file gets. */
function read(body: Json, domain?: string) {
  const { document, faults } = parse(body, domain)
  const notes = new Set(['$schema', 'last_updated'])
  return {
    document: AdagentsDocument.parse(document) as AdagentsInline,
    faults: faults.filter(f => !notes.has(f.field)).map(f => `${f.severity} ${f.field}`),
  }
}

const site = (more: Json = {}): Json => ({
  property_type: 'website',
  name: 'Acme News',
  identifiers: [{ type: 'domain', value: 'news.acme.example' }],
  ...more,
})
const entry = (more: Json = {}): Json => ({
  url: 'https://sales.example/mcp',
  authorized_for: 'Display',
  authorization_type: 'inline_properties',
  properties: [site()],
  ...more,
})
const ofEntry = (more: Json) => {
  const { document, faults } = read({ authorized_agents: [entry(more)] })
  return { entry: document.agents[0], faults }
}
const ofProperty = (property: Json) => {
  const { document, faults } = read({ authorized_agents: [], properties: [property, site()] })
  return { property: document.properties.length === 2 ? document.properties[0] : undefined, faults }
}

describe('a valid file', () => {
  it('is read unchanged, without a fault', () => {
    const { document, faults } = parse({
      $schema: 'https://schemas.example/adagents.json',
      last_updated: '2026-01-31T09:00:00Z',
      authorized_agents: [
        entry({
          url: 'https://Sales.Example/mcp/',
          countries: ['GB', 'DE'],
          effective_from: '2026-01-01T00:00:00+01:00',
          exclusive: true,
        }),
      ],
      properties: [site({ property_id: 'news', publisher_domain: 'acme.example' })],
    })
    expect(faults).toEqual([])
    const property = { ...site(), tags: [], supported_channels: [] }
    expect(document).toEqual({
      variant: 'inline',
      agents: [
        {
          entry: 0,
          url: 'https://Sales.Example/mcp/',
          agent_url: 'https://sales.example/mcp',
          authorized_for: 'Display',
          authorization_type: 'inline_properties',
          properties: [property],
          countries: ['GB', 'DE'],
          effective_from: '2025-12-31T23:00:00Z',
          exclusive: true,
        },
      ],
      properties: [{ ...property, property_id: 'news', publisher_domain: 'acme.example' }],
      collections: [],
      placements: [],
      formats: [],
      signals: [],
      revoked_publisher_domains: [],
      last_updated: '2026-01-31T09:00:00Z',
      fields: { authorized_agents: expect.any(String), properties: expect.any(String) },
    })
  })

  it('may have a catalog and authorize nobody', () => {
    const { document, faults } = read({ authorized_agents: [], properties: [site()] })
    expect(document).toMatchObject({ agents: [], properties: [{ name: 'Acme News' }] })
    expect(faults).toEqual([])
  })
})

describe('a file that is no adagents.json', () => {
  test.each([
    ['an empty body', '', 'not_json', 'json'],
    ['a web page', '<!doctype html><title>Acme</title>', 'not_json', 'json'],
    ['half a file', '{"authorized_agents": [', 'not_json', 'json'],
    ['a list', '[]', 'unusable', 'root'],
    ['null', 'null', 'unusable', 'root'],
    ['an object without any list', '{"agents": []}', 'unusable', 'root'],
    ['a list of agents that is a text', '{"authorized_agents": "all"}', 'unusable', 'root'],
    ['65 levels of nesting', `{"formats":${buildNested(64)}}`, 'unusable', 'root'],
  ])('%s is reported and gives no document', (_name, body, outcome, field) => {
    const parsed = parse(body)
    expect(parsed.outcome).toBe(outcome)
    expect(parsed).not.toHaveProperty('document')
    expect(parsed.faults.map(fault => fault.field)).toContain(field)
  })

  it('64 levels of nesting are accepted', () => {
    expect(parse(`{"formats":${buildNested(63)}}`).outcome).toBe('ok')
  })

  it('a byte order mark is tolerated', () => {
    expect(parse('\ufeff{"authorized_agents": []}').outcome).toBe('ok')
  })

  it('text in another encoding is read as far as possible, with a warning', () => {
    const body = Buffer.from(JSON.stringify({ properties: [site({ name: 'Café' })] }), 'latin1')
    const { outcome, faults } = parseDocument('adagents.json', body, { maxFaults: 9 })
    expect(outcome).toBe('ok')
    expect(faults[0]).toMatchObject({ field: 'root', severity: 'warning' })
  })
})

describe('a pointer', () => {
  const there = 'https://cdn.example/adagents.json'

  it('is normalised to the spelling under which the file is shared', () => {
    const { document } = read({
      authoritative_location: ' HTTPS://CDN.example:443/adagents.json#x',
    })
    expect(document).toEqual({ variant: 'pointer', authoritative_location: there })
  })

  it('takes precedence over agents beside it, with a warning', () => {
    const { document, faults } = read({
      authoritative_location: there,
      authorized_agents: [entry()],
    })
    expect(document.variant).toBe('pointer')
    expect(faults).toEqual(['warning authoritative_location'])
  })

  it('to itself is an error', () => {
    const { faults } = parse({
      authoritative_location: 'https://acme.example/.well-known/adagents.json',
    })
    const fault = faults.find(({ code }) => code === 'nested_pointer')
    expect(fault).toMatchObject({ field: 'authoritative_location', severity: 'error' })
    expect(describeRepair(fault!)).toBe('point to the file that holds the content')
  })

  test.each([
    ['without https', 'http://cdn.example/adagents.json'],
    ['with a password', 'https://u:p@cdn.example/adagents.json'],
    ['to another port', 'https://cdn.example:8443/adagents.json'],
    ['that is no address', 'cdn.example/adagents.json'],
    ['that is no text', 7],
    ['that is null', null],
  ])('%s is an error, and the agents beside it are read', (_name, location) => {
    const { document, faults } = read({
      authoritative_location: location,
      authorized_agents: [entry()],
    })
    expect(document.agents).toHaveLength(1)
    expect(faults).toEqual(['error authoritative_location'])
    expect(parse({ authoritative_location: location }).outcome).toBe('unusable')
  })

  it('in a shared file is an error: only one hop is allowed', () => {
    const parsed = parseDocument(
      'adagents.json',
      Buffer.from(JSON.stringify({ authoritative_location: there })),
      { maxFaults: 9 },
    )
    expect(parsed.outcome).toBe('unusable')
    expect(parsed.faults.map(f => f.field)).toContain('authoritative_location')
  })

  it('in such a file is an error also beside agents, which are not read', () => {
    const parsed = parseDocument(
      'adagents.json',
      Buffer.from(JSON.stringify({ authoritative_location: there, authorized_agents: [entry()] })),
      { maxFaults: 9 },
    )
    expect(parsed.outcome).toBe('unusable')
    expect(parsed.document).toBeUndefined()
    expect(parsed.faults.map(f => f.code)).toContain('nested_pointer')
  })
})

describe('an unusable entry is dropped, and the next one keeps its number', () => {
  const at = 'error authorized_agents[0]'
  test.each<[string, unknown, string]>([
    ['is no object', 'https://sales.example', at],
    ['is null', null, at],
    ['has no address', entry({ url: undefined }), `${at}.url`],
    ['has an address that is none', entry({ url: 'sales.example' }), `${at}.url`],
    ['has an address with a password', entry({ url: 'https://a:b@sales.example' }), `${at}.url`],
    ['means every agent', entry({ url: '*' }), `${at}.url`],
    ['starts at no day', entry({ effective_from: '2026-02-30' }), `${at}.effective_from`],
    ['ends at null', entry({ effective_until: null }), `${at}.effective_until`],
    ['ends in a number', entry({ effective_until: 1767225600 }), `${at}.effective_until`],
  ])('one that %s', (_name, bad, fault) => {
    const second = entry({ url: 'https://b.example' })
    const { document, faults } = read({ authorized_agents: [bad, second] })
    expect(document.agents).toMatchObject([{ entry: 1, url: 'https://b.example' }])
    expect(faults).toContain(fault)
  })
})

describe('an unreadable restriction admits nothing', () => {
  test.each<[string, Json, Json, string]>([
    ['countries as a text', { countries: 'GB' }, { countries: [] }, 'countries'],
    ['countries as null', { countries: null }, { countries: [] }, 'countries'],
    ['no countries', { countries: [] }, { countries: [] }, 'countries'],
    ['a region', { countries: ['EMEA', 'gb'] }, { countries: [] }, 'countries[0]'],
    ['one bad country', { countries: ['GB', 'uk'] }, { countries: ['GB'] }, 'countries[1]'],
    ['placements as a text', { placement_ids: 'top' }, { placement_ids: [] }, 'placement_ids'],
    ['placements of numbers', { placement_ids: [1] }, { placement_ids: [] }, 'placement_ids[0]'],
    ['tags as an object', { placement_tags: {} }, { placement_tags: [] }, 'placement_tags'],
    ['collections as a text', { collections: 'a' }, { collections: [] }, 'collections'],
    [
      'a collection of nobody',
      { collections: [{ collection_ids: ['a'] }] },
      { collections: [] },
      'collections[0].publisher_domain',
    ],
    ['keys as an object', { signing_keys: {} }, { signing_keys: [] }, 'signing_keys'],
    [
      'a key without a kid',
      { signing_keys: [{ kty: 'OKP' }] },
      { signing_keys: [] },
      'signing_keys[0].kid',
    ],
    [
      'a key revoked at some time',
      { signing_keys: [{ kid: 'a', kty: 'OKP', revoked_at: 'yes' }] },
      { signing_keys: [] },
      'signing_keys[0].revoked_at',
    ],
  ])('%s', (_name, more, expected, field) => {
    const { entry: got, faults } = ofEntry(more)
    expect(got).toMatchObject(expected)
    expect(faults).toContain(`error authorized_agents[0].${field}`)
  })
})

describe('unknown countries', () => {
  test.each<[string, string, string]>([
    ['the name that people use', 'UK', 'GB'],
    ['the name of one that is no more', 'DD', 'DE'],
    ['a code that stands for none', 'ZZ', 'such as US'],
    ['a code that nobody has', 'QX', 'such as US'],
  ])('are kept with a warning: %s', (_name, country, hint) => {
    const countries = ['FR', country]
    const { document, faults } = parse({ authorized_agents: [entry({ countries })] })
    expect((document as AdagentsInline).agents[0]).toMatchObject({ countries })
    const [fault] = faults.filter(({ code }) => code === 'bad_country')
    expect(fault).toMatchObject({
      field: 'authorized_agents[0].countries[1]',
      severity: 'warning',
      message: expect.stringContaining(hint),
    })
  })
})

describe('an unusual entry is kept without the invalid part', () => {
  test.each<[string, Json, string, string]>([
    ['no purpose', { authorized_for: undefined }, 'authorized_for', 'authorized_for'],
    ['no type', { authorization_type: undefined }, 'authorization_type', 'authorization_type'],
    [
      'a type of its own',
      { authorization_type: 'open' },
      'authorization_type',
      'authorization_type',
    ],
    ['an unknown delegation', { delegation_type: 'Direct' }, 'delegation_type', 'delegation_type'],
    ['exclusiveness as a text', { exclusive: 'true' }, 'exclusive', 'exclusive'],
    ['ids as a text', { property_ids: 'news' }, 'property_ids', 'property_ids'],
  ])('%s', (_name, more, missing, field) => {
    const { entry: got, faults } = ofEntry(more)
    expect(got).toBeDefined()
    expect(got).not.toHaveProperty(missing)
    expect(faults).toContain(`error authorized_agents[0].${field}`)
  })

  it('an http address is kept and reported as a fault', () => {
    const { entry: got, faults } = ofEntry({ url: 'http://sales.example' })
    expect(got).toMatchObject({ agent_url: 'http://sales.example' })
    expect(faults).toEqual(['error authorized_agents[0].url'])
  })

  it('a window that ends before it starts is kept, and never open', () => {
    const { entry: got, faults } = ofEntry({
      effective_from: '2026-02-01T00:00:00Z',
      effective_until: '2026-01-01T00:00:00Z',
    })
    expect(got).toMatchObject({ effective_until: '2026-01-01T00:00:00Z' })
    expect(faults).toEqual(['error authorized_agents[0].effective_until'])
  })

  test.each([
    ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00Z'],
    ['2027-01-01T01:59:60.5+02:00', '2027-01-01T00:00:00.500Z'],
    ['2026-12-31T12:00:60Z', undefined],
    ['2027-01-01T00:59:60+02:00', undefined],
  ])('a leap second is the one after it, and there is none within a day: %s', (until, read) => {
    expect(ofEntry({ effective_until: until }).entry?.effective_until).toBe(read)
  })

  it('a day without a time is midnight in UTC, with a warning', () => {
    const { entry: got, faults } = ofEntry({ effective_until: '2026-12-31' })
    expect(got).toMatchObject({ effective_until: '2026-12-31T00:00:00Z' })
    expect(faults).toEqual(['warning authorized_agents[0].effective_until'])
  })

  test.each([
    ['property_ids', 'property_ids'],
    ['property_tags', 'property_tags'],
    ['inline_properties', 'properties'],
    ['publisher_properties', 'publisher_properties'],
    ['signal_ids', 'signal_ids'],
    ['signal_tags', 'signal_tags'],
  ])('%s without its list is an error at %s', (authorization_type, companion) => {
    const { faults } = ofEntry({ authorization_type, properties: undefined })
    expect(faults).toEqual([`error authorized_agents[0].${companion}`])
  })
})

describe('a private key', () => {
  it('is reported, and never kept', () => {
    const secret = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
    const { document, faults } = parse({
      authorized_agents: [
        entry({
          signing_keys: [{ kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'pub', d: secret, _d: secret }],
          encryption_keys: [{ kid: 'e', kty: 'OKP', d: secret }],
        }),
      ],
    })
    expect(JSON.stringify({ document, faults })).not.toContain(secret)
    expect((document as AdagentsInline).agents[0]!.signing_keys).toEqual([
      { kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'pub' },
    ])
    const fields = faults.filter(f => f.severity === 'error').map(f => f.field)
    expect(fields).toEqual([
      'authorized_agents[0].signing_keys[0].d',
      'authorized_agents[0].encryption_keys[0].d',
    ])
  })
})

describe('a selector of other publishers', () => {
  const all = { publisher_domain: 'b.example', selection_type: 'all' }
  const ofSelector = (selector: Json) => {
    const more = {
      authorization_type: 'publisher_properties',
      publisher_properties: [selector, all],
    }
    const { entry: got, faults } = ofEntry(more)
    const [first, second] = got?.publisher_properties ?? []
    return { selector: second && first, faults }
  }

  test.each<[string, Json, Json]>([
    ['of one', all, { publisher_domains: ['b.example'], selection_type: 'all' }],
    [
      'of several, in any spelling',
      { publisher_domains: ['B.example', 'bücher.example'], selection_type: 'all' },
      { publisher_domains: ['b.example', 'xn--bcher-kva.example'], selection_type: 'all' },
    ],
    [
      'by id',
      { publisher_domain: 'b.example', selection_type: 'by_id', property_ids: ['x'] },
      { publisher_domains: ['b.example'], selection_type: 'by_id', property_ids: ['x'] },
    ],
    [
      'by tag, of several',
      { publisher_domains: ['b.example', 1], selection_type: 'by_tag', property_tags: ['x'] },
      { publisher_domains: ['b.example'], selection_type: 'by_tag', property_tags: ['x'] },
    ],
  ])('%s is kept', (_name, selector, expected) => {
    expect(ofSelector(selector).selector).toEqual(expected)
  })

  test.each<[string, Json, string]>([
    ['of nobody', { selection_type: 'all' }, 'publisher_domain'],
    ['of one and of several', { ...all, publisher_domains: ['c.example'] }, 'publisher_domain'],
    ['of no domain', { ...all, publisher_domain: 'everyone' }, 'publisher_domain'],
    ['of an empty list', { selection_type: 'all', publisher_domains: [] }, 'publisher_domains'],
    [
      'by id of several',
      { publisher_domains: ['b.example'], selection_type: 'by_id', property_ids: ['x'] },
      'publisher_domains',
    ],
    ['by id of none', { ...all, selection_type: 'by_id' }, 'property_ids'],
    ['by tag of none', { ...all, selection_type: 'by_tag', property_tags: [] }, 'property_tags'],
    ['by something else', { ...all, selection_type: 'everything' }, 'selection_type'],
    ['without a type', { publisher_domain: 'b.example' }, 'selection_type'],
  ])('%s is dropped', (_name, selector, field) => {
    const got = ofSelector(selector)
    expect(got.selector).toBeUndefined()
    expect(got.faults).toContain(`error authorized_agents[0].publisher_properties[0].${field}`)
  })
})

describe('advice', () => {
  const messages = (file: Json) => parse(file).faults.map(({ field, message }) => [field, message])
  const ofSite = (more: Json) =>
    Object.fromEntries(messages({ authorized_agents: [], properties: [site(more)] }))

  test.each<[string, Json]>([
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['property_type', { property_type: ' ' }],
    ['identifiers[0].value', { identifiers: [{ type: 'domain', value: '' }] }],
    ['identifiers[0].type', { identifiers: [{ type: 5, value: 'a.example' }] }],
  ])('%s should be given', (field, more) => {
    const message = ofSite(more)[`properties[0].${field}`]
    expect(message).toMatch(/is empty|must be/)
    expect(message).not.toContain('leave it out')
  })

  test('redundant fields should be left out', () => {
    expect(ofSite({ property_id: '' })['properties[0].property_id']).toContain('leave it out')
    const faults = Object.fromEntries(messages({ authorized_agents: [entry({ url: '' })] }))
    expect(faults['authorized_agents[0].url']).toBe('is empty: add a value')
  })

  test.each(['domain', 'url'])('%s should be written as an identifier', key => {
    const { property, faults } = ofProperty({
      property_type: 'website',
      name: 'A',
      [key]: 'a.example',
    })
    expect([property, faults]).toEqual([undefined, [`error properties[0].${key}`]])
    expect(ofSite({ identifiers: undefined, [key]: 'a.example' })[`properties[0].${key}`]).toMatch(
      /^stands where identifiers belong.*"identifiers": \[\{"type": "domain", "value": "a.example"\}\]/,
    )
  })

  test.each([
    ['domains', ['a.example', 'https://b.example/'], ['a.example', 'b.example']],
    ['domains', ['a.example', 7], ['acme.example']],
    ['website', 'our site', ['acme.example']],
    ['identifier', 'com.acme', ['acme.example']],
  ])('%s with %j is written out in its repair', (key, value, hosts) => {
    const { [`properties[0].${key}`]: message = '' } = ofSite({
      identifiers: undefined,
      [key]: value,
    })
    const written = hosts.map(host => `{"type": "domain", "value": "${host}"}`)
    const bundle = ofSite({ identifiers: undefined, bundle_id: 'com.acme' })
    expect(bundle['properties[0].bundle_id']).toContain(
      '{"type": "bundle_id", "value": "com.acme"}',
    )
    expect(message).toContain(`write "identifiers": [${written.join(', ')}]`)
  })
})

describe('a property', () => {
  test.each<[string, Json, string]>([
    ['without identifiers', { identifiers: undefined }, 'identifiers'],
    ['whose identifiers are a text', { identifiers: 'acme.example' }, 'identifiers'],
    [
      'of an unknown kind of identifier',
      { identifiers: [{ type: 'web', value: 'a' }] },
      'identifiers[0].type',
    ],
    [
      'with an empty identifier',
      { identifiers: [{ type: 'domain', value: ' ' }] },
      'identifiers[0].value',
    ],
    [
      'with a domain that is none',
      { identifiers: [{ type: 'domain', value: 'localhost' }] },
      'identifiers[0].value',
    ],
    ['of an owner that cannot be read', { publisher_domain: 'acme' }, 'publisher_domain'],
  ])('%s is dropped', (_name, more, field) => {
    const { property, faults } = ofProperty(site(more))
    expect(property).toBeUndefined()
    expect(faults).toContain(`error properties[0].${field}`)
  })

  test.each<[string, Json, Json, string]>([
    ['of an unknown type', { property_type: 'game' }, { property_type: 'game' }, 'property_type'],
    ['without a type', { property_type: undefined }, { property_type: 'unknown' }, 'property_type'],
    ['without a name', { name: undefined }, { name: 'news.acme.example' }, 'name'],
    ['with an id in capitals', { property_id: 'News' }, { property_id: 'News' }, 'property_id'],
    ['with a tag in capitals', { tags: ['Top', 5] }, { tags: ['Top'] }, 'tags'],
    [
      'with an unknown channel',
      { supported_channels: ['web', 'olv'] },
      { supported_channels: ['olv'] },
      'supported_channels',
    ],
  ])('%s is kept', (_name, more, expected, field) => {
    const { property, faults } = ofProperty(site(more))
    expect(property).toMatchObject(expected)
    expect(faults).toContain(`error properties[0].${field}`)
  })

  it('keeps the valid identifiers, trimmed, in their own case', () => {
    const { property, faults } = ofProperty(
      site({
        identifiers: [
          { type: 'ios_bundle', value: ' com.Acme.News ' },
          { type: 'domain', value: '*.acme.example' },
          { type: 'domain', value: 'https://acme.example/' },
          { type: 'domain' },
          { type: 'ios_bundle', value: 'com.Acme.News' },
        ],
      }),
    )
    expect(property?.identifiers).toEqual([
      { type: 'ios_bundle', value: 'com.Acme.News' },
      { type: 'domain', value: '*.acme.example' },
      { type: 'domain', value: 'https://acme.example/' },
    ])
    expect(faults).toEqual([
      'warning properties[0].identifiers[0].value',
      'warning properties[0].identifiers[2].value',
      'error properties[0].identifiers[3].value',
      'warning properties[0].identifiers[4].value',
    ])
  })
})

describe('a catalog', () => {
  test.each(['properties', 'collections', 'placements', 'formats', 'signals'])(
    'whose %s is no list counts as empty, with an error',
    key => {
      const { document, faults } = read({ authorized_agents: [entry()], [key]: { a: 1 } })
      expect(document).toMatchObject({ [key]: [] })
      expect(faults).toEqual([`error ${key}`])
    },
  )

  it('keeps the unknown fields of its items', () => {
    const { document, faults } = read({
      authorized_agents: [],
      properties: [site({ property_id: 'news' })],
      collections: [{ collection_id: 'show', name: 'Show', genre: ['news'] }],
      placements: [{ placement_id: 'top', name: 'Top', property_ids: ['news'], channels: ['olv'] }],
      signals: [{ id: 'cars', name: 'Cars', value_type: 'binary', methodology: 'modeled' }],
      formats: [{ format_option_id: 'wide', format_kind: 'image' }],
    })
    expect(document).toMatchObject({
      collections: [{ collection_id: 'show', kind: 'series', manifest: { genre: ['news'] } }],
      placements: [{ placement_id: 'top', tags: [], manifest: { channels: ['olv'] } }],
      signals: [{ id: 'cars', value_type: 'binary', manifest: { methodology: 'modeled' } }],
      formats: [{ format_option_id: 'wide', format_kind: 'image' }],
    })
    expect(faults).toEqual([])
  })

  test.each<[string, Json, string]>([
    [
      'a placement without an id',
      { placements: [{ name: 'Top' }] },
      'error placements[0].placement_id',
    ],
    [
      'a placement on nothing',
      { placements: [{ placement_id: 'a', name: 'A' }] },
      'error placements[0].property_ids',
    ],
    [
      'a placement on an unknown property',
      { placements: [{ placement_id: 'a', name: 'A', property_ids: ['x'] }] },
      'warning placements[0].property_ids',
    ],
    [
      'a placement on a property that has a fault',
      {
        properties: [site({ property_id: 'x', property_type: 'web' })],
        placements: [{ placement_id: 'a', name: 'A', property_ids: ['x'] }],
      },
      'error properties[0].property_type',
    ],
    [
      'a placement of an unknown format',
      {
        placements: [
          {
            placement_id: 'a',
            name: 'A',
            property_tags: [],
            format_options: [{ format_option_id: 'x' }],
          },
        ],
      },
      'error placements[0].format_options[0].format_option_id',
    ],
    [
      'a preview of an unknown format',
      {
        placements: [
          {
            placement_id: 'a',
            name: 'A',
            property_tags: [],
            preview_provider: { routes: [{ format_option_id: 'x' }] },
          },
        ],
      },
      'error placements[0].preview_provider.routes[0].format_option_id',
    ],
    [
      'a format without an id',
      { formats: [{ format_kind: 'image' }] },
      'warning formats[0].format_option_id',
    ],
    [
      'a format twice',
      { formats: [{ format_option_id: 'a' }, { format_option_id: 'a' }] },
      'warning formats[1].format_option_id',
    ],
    [
      'a capability in a format',
      { formats: [{ format_option_id: 'a', capability_id: 'b' }] },
      'error formats[0].capability_id',
    ],
    [
      'a renderer of another revision',
      {
        formats: [
          {
            format_option_id: 'a',
            format_revision: '1.0.0',
            reference_renderer: { format_revision: '1.0.1' },
          },
        ],
      },
      'error formats[0].reference_renderer.format_revision',
    ],
    [
      'a renderer without a role',
      { formats: [{ format_option_id: 'a', reference_renderer: {} }] },
      'error catalog_role',
    ],
    ['a signal without an id', { signals: [{ name: 'Cars' }] }, 'error signals[0].id'],
    [
      'a signal without a type',
      { signals: [{ id: 'a', name: 'A' }] },
      'error signals[0].value_type',
    ],
    [
      'a category without values',
      { signals: [{ id: 'a', name: 'A', value_type: 'categorical' }] },
      'warning signals[0].allowed_values',
    ],
    [
      'a range upside down',
      { signals: [{ id: 'a', name: 'A', value_type: 'numeric', range: { min: 2, max: 1 } }] },
      'error signals[0].range.min',
    ],
    [
      'a signal twice',
      {
        signals: [
          { id: 'a', name: 'A', value_type: 'binary' },
          { id: 'a', name: 'A', value_type: 'binary' },
        ],
      },
      'warning signals[1].id',
    ],
    [
      'a collection of an unknown kind',
      { collections: [{ collection_id: 'a', name: 'A', kind: 'blog' }] },
      'error collections[0].kind',
    ],
    ['a tag map that is a list', { tags: [] }, 'error tags'],
    ['a tag without a name', { tags: { top: {} } }, 'error tags.top.name'],
    ['a tag nobody described', { properties: [site({ tags: ['top'] })] }, 'warning tags'],
    [
      'a property id twice',
      { properties: [site({ property_id: 'a' }), site({ property_id: 'a' })] },
      'error properties[1].property_id',
    ],
    ['a successor', { superseded_by: 'https://b.example/adagents.json' }, 'warning superseded_by'],
    ['a contact without a name', { contact: {} }, 'error contact.name'],
  ])('%s is reported', (_name, more, fault) => {
    expect(read({ authorized_agents: [entry()], ...more }).faults).toContain(fault)
  })

  it('without content, and without agents, is an error', () => {
    const { document, faults } = read({ authorized_agents: [] })
    expect(document.agents).toEqual([])
    expect(faults).toEqual(['error authorized_agents'])
  })

  it('without a list of agents authorizes nobody, with an error', () => {
    const { document, faults } = read({ properties: [site()] })
    expect(document).toMatchObject({ agents: [], properties: [{ name: 'Acme News' }] })
    expect(faults).toEqual(['error authorized_agents'])
  })
})

describe('references', () => {
  test.each<[string, Json, string]>([
    ['an agent twice', {}, 'warning authorized_agents[1].url'],
    [
      'an unknown property',
      { authorization_type: 'property_ids', property_ids: ['x'] },
      'warning authorized_agents[0].property_ids',
    ],
    [
      'an unknown tag',
      { authorization_type: 'property_tags', property_tags: ['x'] },
      'warning authorized_agents[0].property_tags',
    ],
    [
      'an unknown signal',
      { authorization_type: 'signal_ids', signal_ids: ['x'] },
      'warning authorized_agents[0].signal_ids',
    ],
    [
      'an unknown placement',
      { placement_ids: ['x'] },
      'warning authorized_agents[0].placement_ids',
    ],
  ])('to %s get a warning', (_name, more, fault) => {
    const agents = [entry(more), entry({ url: 'https://SALES.example/mcp/' })]
    expect(read({ authorized_agents: agents }).faults).toContain(fault)
  })

  test.each<[string, string[], string, string]>([
    ['none of which is there', ['sits'], 'without_effect', ': did you mean "site"?'],
    [
      'that are near none',
      ['x'],
      'without_effect',
      'let the agent sell anything: name "site" or "app"',
    ],
    [
      'of which one is there',
      ['site', 'x'],
      'unresolved',
      'no such property: name "site" or "app"',
    ],
  ])('to properties %s say what the entry authorizes', (_, property_ids, code, words) => {
    const properties = [site({ property_id: 'site' }), site({ property_id: 'app' })]
    const entries = [entry({ authorization_type: 'property_ids', property_ids })]
    const { faults } = parse({ authorized_agents: entries, properties })
    const fault = faults.find(({ field }) => field === 'authorized_agents[0].property_ids')
    expect(fault).toMatchObject({ code, severity: 'warning' })
    expect(fault!.message.endsWith(words)).toBe(true)
  })

  const selling = (property_ids?: string[]) =>
    entry({ authorization_type: 'property_ids', ...(property_ids && { property_ids }) })
  const named = site({ property_id: 'site' })
  test.each<[string, Json, string]>([
    [
      'an ID, in a file whose property has none',
      { authorized_agents: [selling(['herald'])], properties: [site()] },
      'add the property_id "herald" to properties[0]',
    ],
    [
      'an ID, in a file whose properties have none',
      { authorized_agents: [selling(['herald'])], properties: [site(), site()] },
      'add the property_id "herald" to the property you mean',
    ],
    [
      'an ID, in a file without properties',
      { authorized_agents: [selling(['herald'])] },
      'add a property with the property_id "herald"',
    ],
    [
      'a tag that nothing has',
      {
        authorized_agents: [entry({ authorization_type: 'property_tags', property_tags: ['top'] })],
        properties: [site()],
      },
      'add the tag "top" to properties[0]',
    ],
    [
      'nothing, in a file whose property has no ID',
      { authorized_agents: [selling()], properties: [site()] },
      'add a property_id to properties[0], and name it here',
    ],
    [
      'nothing, in a file whose property has one',
      { authorized_agents: [selling([])], properties: [named] },
      'add at least one property ID from this file',
    ],
    [
      'a property by its domain',
      { authorized_agents: [selling(['news.acme.example'])], properties: [named] },
      'write "site"',
    ],
    [
      'a placement’s property by its domain',
      {
        authorized_agents: [entry()],
        properties: [named],
        placements: [{ placement_id: 'top', name: 'Top', property_ids: ['news.acme.example'] }],
      },
      'write "site"',
    ],
    [
      'an ID in another spelling',
      { authorized_agents: [selling(['My-Site'])], properties: [site({ property_id: 'my_site' })] },
      'write "my_site"',
    ],
    [
      'an ID that its property may not have',
      {
        authorized_agents: [selling(['my-app'])],
        properties: [named, site({ property_id: 'my-app' })],
      },
      'write "my_app"',
    ],
    [
      'what no ID may be, near none',
      { authorized_agents: [selling(['their.example'])], properties: [named] },
      'name "site"',
    ],
    [
      'what no ID may be, in a file without any',
      { authorized_agents: [selling(['news.acme.example'])], properties: [site()] },
      'write "news_acme_example"',
    ],
  ])('to %s get a fix that can be followed', (_, file, fix) => {
    const { faults } = parse(file)
    const found = faults.filter(({ field }) => /property_(?:ids|tags)$/.test(field))
    expect(found.map(describeRepair)).toEqual([fix])
  })

  it('of properties without an owner get a warning in a shared file', () => {
    const body = Buffer.from(JSON.stringify({ authorized_agents: [], properties: [site()] }))
    const { faults } = parseDocument('adagents.json', body, { maxFaults: 9 })
    expect(faults.map(f => f.field)).toContain('properties[0].publisher_domain')
  })
})

describe('a revoked publisher', () => {
  const always = '1970-01-01T00:00:00Z'
  test.each<[string, unknown, Json[]]>([
    [
      'with a time and a reason',
      [{ publisher_domain: 'B.example', revoked_at: '2026-01-01T00:00:00Z', reason: 'other' }],
      [{ publisher_domain: 'b.example', revoked_at: '2026-01-01T00:00:00Z', reason: 'other' }],
    ],
    [
      'without a time',
      [{ publisher_domain: 'b.example' }],
      [{ publisher_domain: 'b.example', revoked_at: always }],
    ],
    ['as a bare name', ['b.example'], [{ publisher_domain: 'b.example', revoked_at: always }]],
    [
      'outside of a list',
      { publisher_domain: 'b.example' },
      [{ publisher_domain: 'b.example', revoked_at: always }],
    ],
    ['that is no domain', [{ publisher_domain: 'b' }, 7], []],
  ])('%s', (_name, revoked_publisher_domains, expected) => {
    const { document } = read({ authorized_agents: [entry()], revoked_publisher_domains })
    expect(document.revoked_publisher_domains).toEqual(expected)
  })

  it('named elsewhere in the file gets a warning', () => {
    const { faults } = read({
      authorized_agents: [entry()],
      properties: [
        site({
          publisher_domain: 'b.example',
          identifiers: [{ type: 'domain', value: 'b.example' }],
        }),
      ],
      revoked_publisher_domains: [
        { publisher_domain: 'b.example', revoked_at: '2026-01-01T00:00:00Z' },
      ],
    })
    expect(faults).toEqual(['warning revoked_publisher_domains'])
  })
})

describe('personal data', () => {
  it('of a contact are in no document and no fault', () => {
    const parsed = parse({
      contact: 'ops@acme.example',
      authorized_agents: [entry({ url: 'mailto:ops@acme.example' })],
      properties: [site({ contact: { email: 'ops@acme.example' } })],
      formats: [{ format_option_id: 'a', params: { contact: 'ops@acme.example' } }],
      signals: [
        { id: 'a', name: 'A', value_type: 'binary', support: { email: 'ops@acme.example' } },
      ],
      tags: { 'ops@acme.example': 5 },
    })
    expect(JSON.stringify(parsed)).not.toContain('ops@')
    expect((parsed.document as AdagentsInline).fields).toHaveProperty('contact')
  })
})

describe('the hashes of the fields', () => {
  const readFields = (body: string) => (parse(body).document as AdagentsInline).fields

  it('ignore the order of keys, $schema and last_updated', () => {
    const fields =
      '{"$schema":"a","last_updated":"x","properties":[],"tags":{"a":{"name":"A","x":1}}}'
    const two = '{"tags":{"a":{"x":1,"name":"A"}},"properties":[],"$schema":"b"}'
    expect(readFields(fields)).toEqual(readFields(two))
  })

  it('differ by the changed field', () => {
    const fields = readFields('{"properties":[],"custom":1,"contact":{"name":"A"}}')
    const two = readFields('{"properties":[],"custom":2,"contact":{"name":"B"}}')
    expect(fields.properties).toBe(two.properties)
    expect(fields.custom).not.toBe(two.custom)
    expect(fields.contact).not.toBe(two.contact)
  })

  it('of an invalid list equal that of the empty list', () => {
    const fields = readFields('{"properties":[],"formats":"x"}')
    expect(fields.formats).toBe(fields.properties)
  })
})

describe('faults', () => {
  it('beyond the bound are counted; errors take precedence over warnings', () => {
    const warned = Array.from({ length: 20 }, () => entry())
    const { faults } = parse({ authorized_agents: [...warned, 1, 2] }, undefined, 5)
    expect(faults).toHaveLength(5)
    expect(faults.map(f => f.field)).toEqual(
      expect.arrayContaining(['authorized_agents[20]', 'authorized_agents[21]']),
    )
    expect(faults[4]!.message).toMatch(/^\d+ more issues/)
  })

  it('quote only the beginning of a long text', () => {
    const { faults } = parse({ authorized_agents: [entry({ delegation_type: 'x'.repeat(1e6) })] })
    expect(JSON.stringify(faults).length).toBeLessThan(1_000)
  })
})

describe('keys with a meaning in JavaScript', () => {
  it('are plain data, or dropped', () => {
    const body = `{"__proto__":{"polluted":1},"authorized_agents":[],"tags":{"__proto__":{"name":"x"},
      "constructor":{"name":"c"}},"properties":[{"__proto__":{"name":"y"},"toString":1,
      "property_type":"website","name":"A","tags":["toString"],
      "identifiers":[{"type":"domain","value":"acme.example"}]}],"formats":[{"__proto__":[]}]}`
    const { document, faults } = parse(body)
    expect(JSON.stringify(document)).not.toContain('__proto__')
    expect(({} as Json).polluted).toBeUndefined()
    expect((document as AdagentsInline).tags).toEqual({
      constructor: { name: 'c', description: '' },
    })
    expect(faults.find(f => f.field === 'tags')!.message).toContain('toString')
  })

  it('and unstorable characters are replaced everywhere', () => {
    const body =
      '{"properties":[{"property_type":"website","name":"a\\ud800b\\u0000c\\ud83d\\ude00\\\\ud800",' +
      '"identifiers":[{"type":"domain","value":"acme.example"}]}]}'
    const { document } = parse(body)
    expect((document as AdagentsInline).properties[0]!.name).toBe('a\ufffdb\ufffdc😀\\ud800')
  })
})

function buildNested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

describe('a property that claims the names of others', () => {
  const claims = (value: string, more: Json = {}) =>
    site({ identifiers: [{ type: 'domain', value }], ...more })

  it.each<[string, Json, string[]]>([
    ['nobody’s but its own', claims('*.Acme.Example.'), []],
    [
      'a name that only looks alike',
      claims('evilacme.example'),
      ['error properties[0].identifiers'],
    ],
    ['the name above', claims('example'), ['error properties[0].identifiers[0].value']],
    ['of the owner it names', claims('b.example', { publisher_domain: 'b.example' }), []],
    [
      'of the host, for another owner',
      claims('acme.example', { publisher_domain: 'b.example' }),
      ['error properties[0].identifiers'],
    ],
    ['an app, which has no host', site({ identifiers: [{ type: 'ios_bundle', value: 'x' }] }), []],
  ])('is reported: %s', (_name, property, faults) => {
    expect(
      read({ authorized_agents: [], properties: [property] }).faults.filter(isOfHosts),
    ).toEqual(faults)
  })

  it('is reported inside an entry too, and in a shared file only where it names its owner', () => {
    const properties = [claims('b.example'), claims('c.example', { publisher_domain: 'b.example' })]
    const body = { authorized_agents: [entry({ properties })] }
    const fault = 'error authorized_agents[0].properties'
    expect(read(body).faults.filter(isOfHosts)).toEqual([fault, fault])
    const { faults } = parseDocument('adagents.json', Buffer.from(JSON.stringify(body)), {
      domain: undefined,
      maxFaults: 20,
    })
    expect(faults.filter(({ message }) => message.includes('nor a subdomain of it'))).toHaveLength(
      1,
    )
  })
})

const isOfHosts = (fault: string): boolean =>
  /identifiers(?:\[0\]\.value)?$|\.properties$/.test(fault)

test('properties are counted by type, also by types named like object members', () => {
  const typed = (property_type: string) => ({ ...site(), property_type })
  const properties = ['website', 'constructor', 'constructor', 'Odd!'].map(typed)
  expect(countEntries({ properties }).property_type_counts).toEqual({
    website: 1,
    constructor: 2,
    unknown: 1,
  })
})
