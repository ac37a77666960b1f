import { gzipSync } from 'node:zlib'
import { file, json, page } from './answer.ts'
import { cast, urlOf } from './cast.ts'
import { dirt } from './dirty-place.ts'
import { adagents, canonical, entry, portfolio, siteProperty, smallDocument } from './documents.ts'
import type { Doc, FileName, Place } from './site.ts'

const byteOrderMark = '\ufeff'
const seller = urlOf(cast[0]!)

/** Bodies that arrive in full and are not what they should be, or are but look odd. */
export const brokenBodies: Place[] = [
  dirt('html', 'html', (_, host) =>
    page('Not found', `${host} shows this page for every address.`),
  ),
  dirt('html-as-json', 'html', () => file('<!doctype html><title>Soon</title>')),
  dirt('truncated', 'invalid_json', (name, host) => file(text(name, host).slice(0, -40))),
  dirt('trailing-comma', 'invalid_json', (name, host) =>
    file(text(name, host).replace(/\n\}$/, ',\n}')),
  ),
  dirt('single-quotes', 'invalid_json', (name, host) =>
    file(text(name, host).replaceAll('"', "'")),
  ),
  dirt('empty', 'invalid_json', () => file('')),
  dirt('binary', 'invalid_json', () => file(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x01]))),
  dirt('root-array', 'wrong_root', (name, host) => json([smallDocument(name, host)])),
  dirt('root-string', 'wrong_root', () => json('adagents')),
  dirt('root-number', 'wrong_root', () => json(42)),
  dirt('root-null', 'wrong_root', () => json(null)),
  dirt('root-empty-object', 'empty_file', () => json({})),
  dirt('wrong-types', 'invalid', (name, host) => json(wrongTypes[name](host))),
  dirt('one-bad-among-good', 'ok_in_part', (name, host) => json(oneBadAmongGood[name](host))),
  dirt('bom', 'ok', (name, host) => file(byteOrderMark + text(name, host))),
  dirt('gzip', 'ok', (name, host) =>
    file(gzipSync(text(name, host)), 'application/json', { 'content-encoding': 'gzip' }),
  ),
  dirt('false-gzip', 'bad_encoding', (name, host) =>
    file(text(name, host), 'application/json', { 'content-encoding': 'gzip' }),
  ),
  dirt('text-plain', 'ok', (name, host) => file(text(name, host), 'text/plain')),
  dirt('octet-stream', 'ok', (name, host) => file(text(name, host), 'application/octet-stream')),
  dirt('latin1-charset', 'ok', (name, host) =>
    file(text(name, host), 'application/json; charset=iso-8859-1'),
  ),
  dirt('deep-nesting', 'deep_nesting', (name, host) =>
    file(withField(name, host, 'ext', deepArray(20_000))),
  ),
  dirt('proto-key', 'ok', (name, host) =>
    file(withField(name, host, '__proto__', '{"polluted":true,"authorized_agents":[]}')),
  ),
  dirt('duplicate-keys', 'ok', (name, host) =>
    file(withField(name, host, name === 'brand.json' ? 'id' : 'authorized_agents', '"first"')),
  ),
  dirt('control-characters', 'ok', (name, host) => json(controlCharacters(name, host))),
]

function text(name: FileName, host: string): string {
  return JSON.stringify(smallDocument(name, host), null, 2)
}

/** Puts a field before all others, in a way JSON.stringify would not. */
function withField(name: FileName, host: string, key: string, value: string): string {
  return text(name, host).replace('{', `{ "${key}": ${value},`)
}

function deepArray(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

const wrongTypes: Readonly<Record<FileName, (host: string) => Doc>> = {
  'brand.json': host => ({
    house: { domain: host, name: 17, names: 'none' },
    brands: [null, 'brand', { id: 5, names: {}, properties: 'site', logos: { url: 1 } }],
    brand_refs: 'nobody',
  }),
  'adagents.json': () => ({
    authorized_agents: 'everybody',
    properties: { site: true },
    collections: 3,
    signals: [null, 7],
    last_updated: 20261101,
  }),
}

const oneBadAmongGood: Readonly<Record<FileName, (host: string) => Doc>> = {
  'brand.json': host =>
    portfolio({
      house: { domain: host, name: 'Nearly Good' },
      brands: [
        canonicalBrand(host, 'nearly_good'),
        { id: 'Not A Slug', names: 'none' },
        null,
        canonicalBrand(`second.${host}`, 'second_good'),
      ],
    }),
  'adagents.json': host =>
    adagents({
      properties: [
        siteProperty(host, 'Good', { property_id: 'good' }),
        { property_type: 'website', name: 'No identifiers' },
        {
          property_type: 'spaceship',
          name: 'Unknown type',
          identifiers: [{ type: 'domain', value: 5 }],
        },
        null,
        siteProperty(`blog.${host}`, 'Also good', { property_id: 'also_good' }),
      ],
      authorized_agents: [
        entry(seller, 'property_ids', { property_ids: ['good', 'also_good'] }),
        null,
        { url: 17, authorized_for: null, authorization_type: 'property_ids' },
        entry('not a url', 'property_ids', { property_ids: ['good'] }),
        entry('http://insecure.example/mcp', 'property_ids', { property_ids: ['good'] }),
        entry('https://user:secret@login.example/mcp', 'property_ids', { property_ids: ['good'] }),
        entry(seller, 'property_ids', { property_ids: 'good', countries: ['EMEA', 'uk'] }),
      ],
    }),
}

function canonicalBrand(host: string, id: string): Doc {
  const { names, properties } = canonical(host, id)
  return { id, names, properties, keller_type: 'independent' }
}

function controlCharacters(name: FileName, host: string): Doc {
  const title = 'Null\u0000, bell\u0007, override\u202e and half a pair \ud83d'
  if (name === 'brand.json') return canonical(host, 'Control', { names: [{ en: title }] })
  return adagents({
    properties: [siteProperty(host, title, { property_id: 'site' })],
    authorized_agents: [entry(seller, 'property_ids', { property_ids: ['site'] })],
  })
}
