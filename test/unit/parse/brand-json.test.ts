import { describe, expect, it, test } from 'vitest'
import { BrandDocument } from '../../../pipeline/model/documents/index.ts'
import { checkFile } from '../../../pipeline/parse/check-file.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'

type Json = Record<string, unknown>

function parse(body: unknown, domain: string | null = 'acme.example') {
  const bytes = Buffer.from(JSON.stringify(body))
  return parseDocument('brand.json', bytes, { domain: domain ?? undefined, maxFaults: 200 })
}

function read(body: Json, domain?: string | null) {
  const { document, faults } = parse(body, domain)
  return {
    document: BrandDocument.parse(document) as Json & BrandDocument,
    faults: faults.map(fault => `${fault.severity} ${fault.field}`),
  }
}

const brand = (more: Json = {}): Json => ({ id: 'acme', names: [{ en: 'Acme' }], ...more })
const house = { domain: 'acme.example', name: 'Acme Group' }
const agent = { type: 'sales', url: 'https://sales.acme.example/mcp' }
const ofBrand = (more: Json) => {
  const { document, faults } = read({ house, brands: [brand(more)] })
  return { brand: (document as { brands?: Json[] }).brands![0], faults }
}

describe('the five variants, tried in order', () => {
  const there = 'https://cdn.example/brand.json'
  test.each<[string, Json, Json]>([
    [
      'a pointer wins over all',
      { authoritative_location: there, house: 'acme.example', ...brand() },
      { variant: 'authoritative_location', authoritative_location: there },
    ],
    [
      'a house by name',
      { house: 'Acme.example', region: 'GB', redirect_reason: 'rebrand' },
      {
        variant: 'house_redirect',
        house: 'acme.example',
        region: 'GB',
        redirect_reason: 'rebrand',
      },
    ],
    ['a house with brands', { house, brands: [brand()] }, { variant: 'house_portfolio' }],
    [
      'a house with references',
      { house, brand_refs: [] },
      { variant: 'house_portfolio', brands: [] },
    ],
    ['one brand, with agents', brand({ agents: [agent] }), { variant: 'brand_canonical' }],
    ['agents', { agents: [agent] }, { variant: 'brand_agent', agents: [agent] }],
    [
      'an agent, the older way',
      { brand_agent: { url: 'https://a.example', id: 'a' } },
      { variant: 'brand_agent', agents: [{ type: 'brand', url: 'https://a.example', id: 'a' }] },
    ],
  ])('%s', (_name, body, expected) => {
    expect(read(body).document).toMatchObject(expected)
  })

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['a list', []],
    ['a house without brands', { house }],
    ['a brand without names', { id: 'acme' }],
    ['a brand whose id is a number', { id: 5, names: [] }],
    ['a pointer without https', { authoritative_location: 'http://cdn.example/brand.json' }],
    ['a house that is no domain', { house: 'Acme' }],
  ])('%s is none of them', (_name, body) => {
    const parsed = parse(body)
    expect(parsed).toMatchObject({ outcome: 'unusable' })
    expect(parsed.faults.at(-1)).toMatchObject({ field: 'root', severity: 'error' })
  })

  it('a pointer that cannot be followed leaves the content beside it', () => {
    const { document, faults } = read({ authoritative_location: 'ftp://x', agents: [agent] })
    expect(document.variant).toBe('brand_agent')
    expect(faults).toContain('error authoritative_location')
  })

  test.each<[string, Json]>([
    ['pointer', { authoritative_location: there }],
    ['house redirect', { house: 'b.example' }],
    ['portfolio', { house, brands: [brand()] }],
    ['list of agents', { agents: [agent] }],
  ])('a %s takes no further fields', (_name, body) => {
    expect(read({ ...body, colour: 'red' }).faults).toEqual(['error colour'])
  })
})

describe('one brand', () => {
  it('is read unchanged; unknown fields become its manifest', () => {
    const { document, faults } = read({
      $schema: 'https://schemas.example/brand.json',
      version: '1.0',
      last_updated: '2026-01-31T09:00:00.250Z',
      house_domain: 'group.example',
      ...brand({
        names: [{ de: 'Akme' }, { en: 'Acme' }],
        keller_type: 'sub_brand',
        url: 'https://acme.example',
        properties: [{ type: 'website', identifier: 'acme.example', primary: true }],
        agents: [{ ...agent, id: 'sales', jwks_uri: 'https://acme.example/jwks.json' }],
        tagline: 'Everything',
        colors: { primary: '#ff0000' },
        contact: { name: 'Ann', email: 'ann@acme.example' },
      }),
    })
    expect(faults).toEqual([])
    expect(document).toEqual({
      variant: 'brand_canonical',
      house_domain: 'group.example',
      last_updated: '2026-01-31T09:00:00.250Z',
      brand: {
        id: 'acme',
        name: 'Acme',
        names: [{ de: 'Akme' }, { en: 'Acme' }],
        keller_type: 'sub_brand',
        url: 'https://acme.example',
        properties: [
          { type: 'website', identifier: 'acme.example', primary: true, relationship: 'owned' },
        ],
        agents: [
          {
            ...agent,
            agent_url: 'https://sales.acme.example/mcp',
            id: 'sales',
            jwks_uri: 'https://acme.example/jwks.json',
          },
        ],
        manifest: { tagline: 'Everything', colors: { primary: '#ff0000' } },
      },
    })
  })

  test.each<[string, Json, Json, string]>([
    [
      'no usable name',
      { names: ['Acme'] },
      { name: 'acme', names: [] },
      'error brands[0].names[0]',
    ],
    [
      'several languages in one',
      { names: [{ fr: 'A', de: 'B' }] },
      { name: 'A' },
      'warning brands[0].names[0]',
    ],
    [
      'a name that is a number',
      { names: [{ en: 1 }, { de: 'B' }] },
      { name: 'B' },
      'error brands[0].names[0].en',
    ],
    ['an id in capitals', { id: 'Acme' }, { id: 'Acme' }, 'error brands[0].id'],
    ['an unknown architecture', { keller_type: 'master_brand' }, {}, 'error brands[0].keller_type'],
    [
      'an unknown parent',
      { parent_brand: 'zenith' },
      { parent_brand: 'zenith' },
      'warning brands[0].parent_brand',
    ],
    ['an address that is none', { url: 'acme.example' }, {}, 'error brands[0].url'],
    [
      'a house of its own',
      { house_domain: 'acme.example' },
      { manifest: {} },
      'error brands[0].house_domain',
    ],
    [
      'properties as a text',
      { properties: 'acme.example' },
      { properties: [] },
      'error brands[0].properties',
    ],
  ])('%s is reported and the brand is kept', (_name, more, expected, fault) => {
    const got = ofBrand(more)
    expect(got.brand).toMatchObject(expected)
    expect(got.faults).toContain(fault)
  })

  test.each<[string, Json, string]>([
    ['an id of other characters', { id: 'Acme Ltd' }, 'error id'],
    ['an id with a hyphen', { id: 'acme-ltd' }, 'error id'],
    ['an empty id', { id: '' }, 'error id'],
    ['no name', { names: [] }, 'error names'],
    ['names without a text', { names: [{}, { en: '' }] }, 'error names[1].en'],
    ['a house that is no domain', { house_domain: 'Acme Group' }, 'error house_domain'],
    ['a house that is no text', { house_domain: null }, 'error house_domain'],
    ['an empty list of brands', { brands: [] }, 'error brands'],
    ['references', { brand_refs: [] }, 'error brand_refs'],
    ['a house without brands', { house }, 'error house'],
    ['operators', { authorized_operators: [] }, 'error authorized_operators'],
    ['a pointer that is no text', { authoritative_location: 7 }, 'error authoritative_location'],
    ['the reason of a redirect', { redirect_reason: 'rebrand' }, 'error redirect_reason'],
    ['the region of a redirect', { region: 'GB' }, 'error region'],
    ['the note of a redirect', { note: 'moved' }, 'error note'],
  ])('with %s does not say which brand it is', (_name, more, fault) => {
    for (const agents of [{}, { agents: [agent] }]) {
      const parsed = parse({ ...brand(agents), ...more })
      expect([parsed.outcome, parsed.document]).toEqual(['unusable', undefined])
      expect(parsed.faults.map(({ severity, field }) => `${severity} ${field}`)).toContain(fault)
      const bytes = Buffer.from(JSON.stringify({ ...brand(agents), ...more }))
      const checked = checkFile('brand.json', bytes, { now: 0, maxFaults: 20 })
      expect(checked).toMatchObject({ valid: false })
    }
  })

  it('with other faults says which brand it is', () => {
    const { document, faults } = read(brand({ keller_type: 'king', properties: 7, colour: 'red' }))
    expect(document).toMatchObject({ variant: 'brand_canonical', brand: { id: 'acme' } })
    expect(faults).toEqual(['error keller_type', 'error properties'])
  })
})

describe('a property of a brand', () => {
  const ofProperty = (more: Json) => {
    const property = { type: 'website', identifier: 'b.example', ...more }
    const { brand: got, faults } = ofBrand({ properties: [property] })
    return { property: (got!.properties as Json[])[0], faults }
  }
  const at = 'brands[0].properties[0]'

  test.each<[string, Json, string]>([
    ['without an identifier', { identifier: undefined }, 'identifier'],
    ['on a website that is no domain', { identifier: 'https://b.example/x' }, 'identifier'],
    ['in an unknown relationship', { relationship: 'partner' }, 'relationship'],
    ['whose relationship is null', { relationship: null }, 'relationship'],
  ])('%s is dropped: it must not count as owned', (_name, more, field) => {
    const { property, faults } = ofProperty(more)
    expect(property).toBeUndefined()
    expect(faults).toContain(`error ${at}.${field}`)
  })

  test.each<[string, Json, Json, string]>([
    ['without a type', { type: undefined }, { type: 'website' }, `error ${at}.type`],
    ['of an unknown type', { type: 'shop' }, { type: 'shop' }, `error ${at}.type`],
    [
      'in an app store nobody named',
      { type: 'mobile_app' },
      { type: 'mobile_app' },
      `warning ${at}.store`,
    ],
    ['in an unknown store', { store: 'corner' }, { relationship: 'owned' }, `error ${at}.store`],
    ['in a region', { region: 'EMEA' }, { relationship: 'owned' }, `error ${at}.region`],
    [
      'that is primary in words',
      { primary: 'yes' },
      { relationship: 'owned' },
      `error ${at}.primary`,
    ],
  ])('%s is kept', (_name, more, expected, fault) => {
    const { property, faults } = ofProperty(more)
    expect(property).toMatchObject(expected)
    expect(faults).toContain(fault)
  })

  it('keeps its relationship', () => {
    expect(ofProperty({ relationship: 'delegated' }).property).toMatchObject({
      relationship: 'delegated',
    })
  })
})

describe('a declared agent', () => {
  const ofAgents = (...agents: unknown[]) => {
    const { document, faults } = read({ agents })
    return { agents: (document as { agents?: Json[] }).agents!, faults }
  }

  test.each<[string, unknown, string]>([
    ['without an address', { type: 'sales' }, 'error agents[0].url'],
    ['without a type', { url: 'https://a.example' }, 'error agents[0].type'],
    ['that is a text', 'https://a.example', 'error agents[0]'],
  ])('%s is dropped', (_name, bad, fault) => {
    const got = ofAgents(bad, agent)
    expect(got.agents).toMatchObject([agent])
    expect(got.faults).toEqual([fault])
  })

  test.each<[string, Json, string]>([
    ['of an unknown type', { type: 'weather' }, 'error agents[0].type'],
    ['with an id in capitals', { id: 'Sales' }, 'error agents[0].id'],
    ['with keys at no address', { jwks_uri: 'http://a.example' }, 'error agents[0].jwks_uri'],
    ['without https', { url: 'http://a.example' }, 'error agents[0].url'],
  ])('%s is kept', (_name, more, fault) => {
    const got = ofAgents({ ...agent, ...more })
    expect(got.agents).toHaveLength(1)
    expect(got.faults).toEqual([fault])
  })

  it('declared twice is an error', () => {
    expect(ofAgents(agent, { ...agent, url: `${agent.url}/` }).faults).toEqual([
      'error agents[1].url',
    ])
  })
})

describe('a house', () => {
  test.each<[string, string | null, string[]]>([
    ['on its own domain', 'acme.example', []],
    ['on another domain', 'other.example', ['error house.domain']],
    ['in a file by address', null, []],
  ])('%s', (_name, domain, faults) => {
    expect(read({ house, brands: [brand()] }, domain).faults).toEqual(faults)
  })

  it('without a domain has the domain that serves the file', () => {
    const body = { house: { name: 'Acme' }, brands: [brand()] }
    expect(read(body).document).toMatchObject({ house: { domain: 'acme.example', name: 'Acme' } })
    expect(parse(body, null).outcome).toBe('unusable')
  })

  it('keeps the first of two brands with one id', () => {
    const { document, faults } = read({
      house,
      brands: [brand({ names: [{ en: 'First' }] }), 7, brand()],
    })
    expect(document).toMatchObject({ brands: [{ name: 'First' }] })
    expect(faults).toEqual(['error brands[1]', 'error brands[2].id'])
  })

  test.each<[string, Json[], Json[], string]>([
    ['without a brand', [{ domain: 'b.example' }], [], 'error brand_refs[0].brand_id'],
    ['without a domain', [{ brand_id: 'b' }], [], 'error brand_refs[0].domain'],
    [
      'from some time',
      [{ domain: 'b.example', brand_id: 'b', effective_at: 'soon' }],
      [],
      'error brand_refs[0].effective_at',
    ],
    [
      'twice to one domain',
      [
        { domain: 'b.example', brand_id: 'b' },
        { domain: 'B.example', brand_id: 'c' },
      ],
      [{ domain: 'b.example', brand_id: 'b' }],
      'error brand_refs[1].domain',
    ],
    [
      'to a brand that is written out',
      [{ domain: 'b.example', brand_id: 'acme' }],
      [{ domain: 'b.example', brand_id: 'acme' }],
      'error brand_refs[0].brand_id',
    ],
  ])('with a reference %s', (_name, brand_refs, expected, fault) => {
    const { document, faults } = read({ house, brands: [brand()], brand_refs })
    expect((document as { brand_refs?: unknown }).brand_refs).toEqual(expected)
    expect(faults).toContain(fault)
  })
})

test.each([
  ['brands', { brands: 'no' }, 'must be a list, not "no"'],
  ['brand_refs', { brand_refs: 3 }, 'must be a list, not 3'],
  ['brands', {}, 'and brand_refs are both missing'],
])(
  'a house with nothing usable in %s is told what is wrong with it: %j',
  (field, lists, message) => {
    const { faults } = parse({ house, ...lists })
    const [fault] = faults.filter(({ severity }) => severity === 'error')
    expect([fault?.field, fault?.message]).toEqual([field, expect.stringContaining(message)])
  },
)

describe('a pointer', () => {
  const own = { house: 'acme.example' }
  const object = 'write "house": {"domain": "acme.example", "name": "…"}'
  const removal = 'move it to the brand.json of that house, or remove it'
  test.each<[string, Json, string | null, [string, string][]]>([
    [
      'with brands, in the file of the house',
      { ...own, brands: [brand()] },
      'acme.example',
      [['house', object]],
    ],
    [
      'with brands, in a file of nobody yet',
      { ...own, brands: [brand()] },
      null,
      [['house', object]],
    ],
    [
      'by the name of the house, with brands',
      { house: 'Acme News', brands: [brand()] },
      'acme.example',
      [['house', 'write "house": {"domain": "acme.example", "name": "Acme News"}']],
    ],
    ['with references', { ...own, brand_refs: [] }, 'acme.example', [['house', object]]],
    [
      'with brands, in the file of another domain',
      { ...own, brands: [brand()] },
      'b.example',
      [['brands', removal]],
    ],
    [
      'to the house that serves it',
      own,
      'acme.example',
      [['house', `${object} and list its brands`]],
    ],
    ['to another house', own, 'b.example', []],
    [
      'to itself',
      { authoritative_location: 'https://acme.example/.well-known/brand.json' },
      'acme.example',
      [['authoritative_location', 'point to the file that holds the content']],
    ],
  ])('%s leads to a file that means what its author does', (_, body, domain, fixes) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const context = { domain: domain ?? undefined, now: 0 as never, maxFaults: 9 }
    const { errors, warnings } = checkFile('brand.json', bytes, context)
    expect(errors.map(({ field, suggestion }) => [field, suggestion])).toEqual(fixes)
    expect(warnings.filter(({ field }) => /^(?:house|brands)$/.test(field))).toEqual([])
  })
})

describe('a variant with fixed fields', () => {
  test.each<[string, Json]>([
    ['a pointer', { authoritative_location: 'https://cdn.example/brand.json' }],
    ['a house by name', { house: 'b.example' }],
    ['a house with brands', { house, brands: [brand()] }],
    ['agents', { agents: [agent] }],
  ])('%s: an unknown field is an error without further effect', (_name, body) => {
    const { document, faults } = read({ ...body, colour: 'red' })
    expect(faults).toEqual(['error colour'])
    expect(document).toEqual(read(body).document)
  })
})

describe('a known field in a form that has no such field', () => {
  const broken = { domain: 'acme', name: 'Acme Group' }
  const nextToHouse = 'is not allowed in a file with "house"'
  test.each<[string, Json, string, string, string]>([
    [
      'agents of a house',
      { house, brands: [brand()], agents: [agent] },
      'agents',
      nextToHouse,
      'move it into "house" or a brand, or remove it',
    ],
    [
      'agents of a house without a domain',
      { house: broken, brands: [brand()], agents: [agent] },
      'agents',
      nextToHouse,
      'move it into "house" or a brand, or remove it',
    ],
    [
      'agents of a house without brands',
      { house, agents: [agent] },
      'agents',
      nextToHouse,
      'move it into "house" or a brand, or remove it',
    ],
    [
      'a logo of a house',
      { house, brands: [brand()], logos: [] },
      'logos',
      nextToHouse,
      'move it into a brand, or remove it',
    ],
    [
      'the name of a house',
      { house, brands: [brand()], name: 'Acme' },
      'name',
      nextToHouse,
      'move it into "house", or remove it',
    ],
    [
      'a region of a house',
      { house, brands: [brand()], region: 'GB' },
      'region',
      nextToHouse,
      'remove it',
    ],
    [
      'agents beside the name of a house',
      { house: 'b.example', agents: [agent] },
      'agents',
      nextToHouse,
      'move it to the brand.json of that house, or remove it',
    ],
    [
      'agents beside a pointer',
      { authoritative_location: 'https://cdn.example/brand.json', agents: [agent] },
      'agents',
      'is not allowed in a file with "authoritative_location"',
      'move it to the file at that URL, or remove it',
    ],
    [
      'brands beside agents',
      { agents: [agent], brands: [brand()] },
      'brands',
      'is not allowed in a file with "agents"',
      'add "house" and move the agents into it, or remove it',
    ],
    [
      'a logo beside agents',
      { agents: [agent], logos: [] },
      'logos',
      'is not allowed in a file with "agents"',
      'add "id" and "names" if this is the file of a brand, or remove it',
    ],
    [
      'brands of a brand',
      { ...brand(), brands: 'none' },
      'brands',
      'is not allowed in the file of a single brand',
      'move it to the brand.json of the house, or remove it',
    ],
    [
      'a house of a brand',
      { ...brand(), house: { domain: 'b.example' } },
      'house',
      'is not allowed in the file of a single brand',
      'write "house_domain": "b.example" instead',
    ],
  ])('%s is not called unknown, and its fix keeps it', (_name, body, key, problem, fix) => {
    const bytes = Buffer.from(JSON.stringify(body))
    for (const domain of ['acme.example', undefined]) {
      const { errors, warnings } = checkFile('brand.json', bytes, {
        domain,
        now: 0 as never,
        maxFaults: 9,
      })
      const faults = [...errors, ...warnings]
      expect(faults.find(({ field }) => field === key)).toMatchObject({
        code: 'misplaced',
        message: `${key} ${problem}: ${fix}`,
        suggestion: fix,
      })
      expect(faults.filter(({ message }) => message.includes('unknown field'))).toEqual([])
    }
  })
})

describe('an operator of a house', () => {
  const of = (more: Json) => {
    const operator = { domain: 'buyer.example', brands: ['acme'], ...more }
    const { document, faults } = read({
      house,
      brands: [brand()],
      authorized_operators: [operator],
    })
    return {
      operators: (document as { authorized_operators?: Json[] }).authorized_operators,
      faults,
    }
  }

  it('is kept with its limits and without a contact', () => {
    const limits = {
      brands: ['*'],
      countries: ['DE'],
      scopes: ['media_buying'],
      valid_from: '2026-01-01T00:00:00Z',
      valid_until: '2027-01-01T00:00:00Z',
    }
    const contact = { name: 'Ann', email: 'ann@buyer.example' }
    expect(of({ ...limits, contact, note: 'ours' })).toEqual({
      operators: [{ domain: 'buyer.example', ...limits }],
      faults: [],
    })
  })

  test.each<[string, Json, string]>([
    ['without a domain', { domain: undefined }, 'error authorized_operators[0].domain'],
    ['without brands', { brands: [] }, 'error authorized_operators[0].brands'],
    ['from some time', { valid_from: 'soon' }, 'error authorized_operators[0].valid_from'],
    ['until some time', { valid_until: 'later' }, 'error authorized_operators[0].valid_until'],
  ])('%s is left out', (_name, more, fault) => {
    expect(of(more)).toEqual({ operators: [], faults: expect.arrayContaining([fault]) })
  })

  test.each<[string, Json, Json, string]>([
    [
      'a scope that is none',
      { scopes: ['all_of_it'] },
      { scopes: [] },
      'error authorized_operators[0].scopes',
    ],
    [
      'countries that are none',
      { countries: ['EMEA'] },
      { countries: [] },
      'error authorized_operators[0].countries[0]',
    ],
    ['a brand nobody knows', { brands: ['zeta'] }, {}, 'warning authorized_operators[0].brands'],
    [
      'an end before its beginning',
      { valid_from: '2027-01-01T00:00:00Z', valid_until: '2027-01-01T00:00:00Z' },
      {},
      'error authorized_operators[0].valid_until',
    ],
  ])('limited by %s stays limited', (_name, more, kept, fault) => {
    expect(of(more)).toEqual({
      operators: [{ domain: 'buyer.example', brands: ['acme'], ...more, ...kept }],
      faults: [fault],
    })
  })
})

describe('a trademark of a house', () => {
  const of = (more: Json) => {
    const trademark = { registry: 'EUIPO', number: '1', mark: 'ACME', ...more }
    const { document, faults } = read({ house, brands: [brand()], trademarks: [trademark] })
    return { trademarks: (document as { trademarks?: Json[] }).trademarks, faults }
  }

  test.each<[string, Json, Json]>([
    ['is owned where nothing is said', {}, { license_type: 'owned' }],
    [
      'is kept with its licence',
      { license_type: 'licensed_in', licensor_domain: 'Torch.example', status: 'active' },
      { license_type: 'licensed_in', licensor_domain: 'torch.example', status: 'active' },
    ],
    [
      'has classes from 1 to 45',
      { nice_classes: [11, 46, 'x', 11] },
      { license_type: 'owned', nice_classes: [11] },
    ],
  ])('%s', (_name, more, expected) => {
    const base = { registry: 'EUIPO', number: '1', mark: 'ACME' }
    expect(of(more).trademarks).toEqual([{ ...base, ...expected }])
  })

  test.each<[string, Json]>([
    ['without a registry', { registry: undefined }],
    ['without a number', { number: undefined }],
    ['without a mark', { mark: undefined }],
    ['with a licence that is none', { license_type: 'borrowed' }],
  ])('%s is left out', (_name, more) => {
    const { trademarks, faults } = of(more)
    expect([trademarks, faults.length]).toEqual([[], 1])
  })
})

describe('personal data', () => {
  it('of a contact are in no document', () => {
    const contact = { name: 'Ann Example', email: 'ann@acme.example' }
    const bodies: Json[] = [
      { house: { ...house, contact }, brands: [brand({ contact })], contact },
      brand({ contact, email: contact.email, data_subject_contestation: contact }),
      { agents: [{ ...agent, contact }], contact },
      {
        house,
        brands: [brand()],
        authorized_operators: [{ domain: 'b.example', brands: ['*'], contact, ...contact }],
      },
    ]
    for (const body of bodies) {
      expect(JSON.stringify(parse(body))).not.toContain('ann@acme.example')
    }
  })
})
