import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkFile } from '../../../pipeline/parse/check-file.ts'
import { listMisspelled } from '../../../pipeline/parse/misspelled-members.ts'

const now = Date.parse('2026-11-20T03:00:00Z')
const check = (file: object) => {
  const bytes = Buffer.from(JSON.stringify(file))
  const { errors, warnings } = checkFile('adagents.json', bytes, { now, maxFaults: 100 })
  return { errors, warnings, all: [...errors, ...warnings] }
}
const head = { $schema: 's', last_updated: '2026-11-01T00:00:00Z' }
const property = {
  property_type: 'website',
  name: 'Site',
  property_id: 'site',
  identifiers: [{ type: 'domain', value: 'acme.example' }],
  publisher_domain: 'acme.example',
}
const agent = {
  url: 'https://agent.example/mcp',
  authorized_for: 'display',
  authorization_type: 'property_ids',
  property_ids: ['site'],
  signing_keys: [{ kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'pub' }],
}

describe('a member that nearly has a known name is one fault, which names it', () => {
  test.each<[string, object, string, string, 'error' | 'warning']>([
    [
      'a required list of the file',
      { authorised_agents: [agent], properties: [property] },
      'authorised_agents',
      'authorized_agents',
      'error',
    ],
    [
      'a required list by the end of its name',
      { agents: [agent], properties: [property] },
      'agents',
      'authorized_agents',
      'error',
    ],
    ['all that the file holds by it', { agents: [agent] }, 'agents', 'authorized_agents', 'error'],
    [
      'all that the file holds',
      { authorised_agents: [] },
      'authorised_agents',
      'authorized_agents',
      'error',
    ],
    [
      'an optional list',
      { authorized_agents: [agent], properties: [property], collection: [] },
      'collection',
      'collections',
      'warning',
    ],
    [
      'the list of an entry',
      { authorized_agents: [{ ...agent, property_ids: undefined, property_id: ['site'] }] },
      'authorized_agents[0].property_id',
      'property_ids',
      'error',
    ],
    [
      'a member of a property',
      { authorized_agents: [], properties: [{ ...property, supportedChannels: ['display'] }] },
      'properties[0].supportedChannels',
      'supported_channels',
      'warning',
    ],
    [
      'one of two of which a placement needs one',
      {
        authorized_agents: [],
        properties: [property],
        placements: [{ placement_id: 'top', name: 'Top', property_tag: ['news'] }],
      },
      'placements[0].property_tag',
      'property_tags',
      'error',
    ],
    [
      'a member of a meaning',
      {
        authorized_agents: [],
        properties: [property],
        tags: { a: { Name: 'A', description: 'A' } },
      },
      'tags.a.Name',
      'name',
      'error',
    ],
    [
      'the address of the file',
      { 'authoritative-location': 'https://acme.example/a.json' },
      'authoritative-location',
      'authoritative_location',
      'error',
    ],
    [
      'an address under a longer name',
      {
        authorized_agents: [{ ...agent, url: undefined, agent_url: agent.url }],
        properties: [property],
      },
      'authorized_agents[0].agent_url',
      'url',
      'error',
    ],
    [
      'an id under a part of its name',
      {
        authorized_agents: [],
        properties: [{ ...property, property_id: undefined, id: 'site' }],
      },
      'properties[0].id',
      'property_id',
      'warning',
    ],
    [
      'a type under a part of its name',
      {
        authorized_agents: [],
        properties: [{ ...property, property_type: undefined, type: 'website' }],
      },
      'properties[0].type',
      'property_type',
      'error',
    ],
    [
      'the type of an entry under a part of its name',
      {
        authorized_agents: [{ ...agent, authorization_type: undefined, type: 'property_ids' }],
        properties: [property],
      },
      'authorized_agents[0].type',
      'authorization_type',
      'error',
    ],
  ])('%s', (_, file, field, meant, severity) => {
    const { all } = check({ ...head, ...file })
    expect(all.map(fault => fault.field)).toEqual([field])
    expect(all[0]).toMatchObject({ code: 'misspelled', severity, line: 1 })
    expect(all[0]!.message).toContain(`did you mean "${meant}"?`)
  })

  test.each<[string, object, string, string]>([
    ['a list', { properties: [property], Property: [] }, 'Property', 'properties'],
    ['a list in the plural', { properties: [property], propertys: [] }, 'propertys', 'properties'],
    [
      'a list of an entry',
      { authorized_agents: [{ ...agent, proprety_ids: ['site'] }], properties: [property] },
      'authorized_agents[0].proprety_ids',
      'property_ids',
    ],
  ])('one beside the known one is not told to take its name: %s', (_, file, field, known) => {
    const { errors, warnings } = check({ ...head, authorized_agents: [], ...file })
    expect(errors).toEqual([])
    expect(warnings.map(fault => fault.field)).toEqual([field])
    expect(warnings[0]).toMatchObject({
      code: 'misspelled',
      suggestion: `merge them, or delete "${field.split('.').at(-1)}"`,
    })
    expect(warnings[0]?.message).toContain(`"${known}" already exists`)
  })

  test('members of the publisher’s own are nobody’s misspelling', () => {
    const own = { ...agent, x_note: 'hello', ext: {}, $comment: 'Acme', _seen: 1 }
    const file = { ...head, authorized_agents: [own], properties: [property], acme: 1 }
    expect(check(file).all).toEqual([])
  })

  test('any other unknown member of an entry is told as ignored, once for all entries', () => {
    const own = { ...agent, vendor: {} }
    const other = { ...agent, url: 'https://other.example/mcp', vendor: 1, publisher: 'Acme' }
    const site = { ...property, cms: 'x' }
    const { errors, warnings } = check({
      ...head,
      authorized_agents: [own, other],
      properties: [site],
    })
    expect(errors).toEqual([])
    expect(warnings.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'unknown_member authorized_agents[0].vendor',
      'unknown_member authorized_agents[1].publisher',
      'unknown_member properties[0].cms',
    ])
    expect(warnings[0]!.message).toContain('is not part of the format, so it is ignored')
  })

  test('a hundred thousand unknown members are bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`propertie${i}`, 1]))
    const { all } = check({ ...head, authorized_agents: [], properties: [property], ...many })
    expect(all.length).toBeLessThanOrEqual(100)
  })
})

test.each([
  ['property_type', { property_type: 'webiste' }, 'website'],
  ['supported_channels', { supported_channels: ['Retail-Media'] }, 'retail_media'],
  ['property_type', { property_type: 'web' }, 'website'],
  ['identifiers[0].type', { identifiers: [{ type: 'domian', value: 'acme.example' }] }, 'domain'],
])('a value that nearly is an allowed one is named: %s', (field, more, meant) => {
  const file = { ...head, authorized_agents: [], properties: [property, { ...property, ...more }] }
  const fault = check(file).errors.find(error => error.field === `properties[1].${field}`)
  expect(fault!.message).toContain(`did you mean "${meant}"?`)
})

describe('a brand.json', () => {
  const listFaults = (file: object) => {
    const bytes = Buffer.from(JSON.stringify(file))
    const checked = checkFile('brand.json', bytes, { now, maxFaults: 100, domain: 'acme.example' })
    return [...checked.errors, ...checked.warnings].map(
      ({ field, message }) => `${field}: ${/"(.*)"/.exec(message)?.[1]}`,
    )
  }
  const house = { domain: 'acme.example', name: 'Acme' }
  const names = [{ en: 'Acme' }]

  test('has its misspelled members named, at all levels', () => {
    const brand = {
      id: 'acme',
      names,
      Colours: { primary: '#123456' },
      visual_guidelines: { motion: { Pacing: 'moderate' } },
      logos: [{ url: 'https://acme.example/a.png', orientaton: 'square' }],
    }
    const file = { house, brands: [brand], 'authorised-operators': [] }
    expect(listFaults(file).sort()).toEqual([
      'authorised-operators: authorized_operators',
      'brands[0].Colours: colors',
      'brands[0].logos[0].orientaton: orientation',
      'brands[0].visual_guidelines.motion.Pacing: pacing',
    ])
    expect(listFaults({ House: house, brands: [{ id: 'acme', names }] })).toEqual(['House: house'])
  })

  test('has every fault told that its format forbids, as a warning where the crawler reads it', () => {
    const brand = { id: 'acme', names, colors: { primary: 'red' }, industries: [] }
    const bytes = Buffer.from(JSON.stringify({ house, brands: [brand] }))
    const checked = checkFile('brand.json', bytes, { now, maxFaults: 100, domain: 'acme.example' })
    expect(checked).toMatchObject({ valid: true, errors: [] })
    expect(checked.warnings.map(({ field }) => field).sort()).toEqual([
      'brands[0].colors.primary',
      'brands[0].industries',
    ])
  })
})

test.each([
  ['anything', z.unknown()],
  ['a body of bytes', z.custom<Buffer>()],
  ['a member that may be anything', z.object({ held: z.unknown() })],
])('the members of %s are not even listed', (_, schema) => {
  const unread = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('its members were listed')
      },
    },
  )
  const file = schema instanceof z.ZodObject ? { held: unread } : unread
  expect(listMisspelled(schema, file)).toEqual([])
})
