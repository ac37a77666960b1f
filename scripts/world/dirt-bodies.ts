import { gzipSync } from 'node:zlib'
import { answerJson, answerPage, file } from './answer.ts'
import { demoAgents, toUrl } from './demo-agents.ts'
import { buildDirt } from './dirty-place.ts'
import {
  buildAdagents,
  buildCanonical,
  buildEntry,
  buildPortfolio,
  buildSiteProperty,
  buildSmallDocument,
} from './documents.ts'
import { getItem } from './items.ts'
import type { Doc, FileName, Place } from './site.ts'

const byteOrderMark = '\ufeff'
const seller = toUrl(getItem(demoAgents, 0))

/** Bodies that arrive in full and are invalid, or valid but unusual. */
export const brokenBodies: Place[] = [
  buildDirt('html', 'html', (_, host) =>
    answerPage('Not found', `${host} shows this page for every address.`),
  ),
  buildDirt('html-as-json', 'html', () => file('<!doctype html><title>Soon</title>')),
  buildDirt('truncated', 'invalid_json', (name, host) =>
    file(formatText(name, host).slice(0, -40)),
  ),
  buildDirt('trailing-comma', 'invalid_json', (name, host) =>
    file(formatText(name, host).replace(/\n\}$/, ',\n}')),
  ),
  buildDirt('single-quotes', 'invalid_json', (name, host) =>
    file(formatText(name, host).replaceAll('"', "'")),
  ),
  buildDirt('empty', 'invalid_json', () => file('')),
  buildDirt('binary', 'invalid_json', () => file(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x01]))),
  buildDirt('root-array', 'wrong_root', (name, host) =>
    answerJson([buildSmallDocument(name, host)]),
  ),
  buildDirt('root-string', 'wrong_root', () => answerJson('adagents')),
  buildDirt('root-number', 'wrong_root', () => answerJson(42)),
  buildDirt('root-null', 'wrong_root', () => answerJson(null)),
  buildDirt('root-empty-object', 'empty_file', () => answerJson({})),
  buildDirt('wrong-types', 'invalid', (name, host) => answerJson(wrongTypes[name](host))),
  buildDirt('one-bad-among-good', 'ok_in_part', (name, host) =>
    answerJson(singleBadEntry[name](host)),
  ),
  buildDirt('bom', 'ok', (name, host) => file(byteOrderMark + formatText(name, host))),
  buildDirt('gzip', 'ok', (name, host) =>
    file(gzipSync(formatText(name, host)), 'application/json', { 'content-encoding': 'gzip' }),
  ),
  buildDirt('false-gzip', 'bad_encoding', (name, host) =>
    file(formatText(name, host), 'application/json', { 'content-encoding': 'gzip' }),
  ),
  buildDirt('text-plain', 'ok', (name, host) => file(formatText(name, host), 'text/plain')),
  buildDirt('octet-stream', 'ok', (name, host) =>
    file(formatText(name, host), 'application/octet-stream'),
  ),
  buildDirt('latin1-charset', 'ok', (name, host) =>
    file(formatText(name, host), 'application/json; charset=iso-8859-1'),
  ),
  buildDirt('deep-nesting', 'deep_nesting', (name, host) =>
    file(withField(name, host, 'ext', buildDeepArray(20_000))),
  ),
  buildDirt('proto-key', 'ok', (name, host) =>
    file(withField(name, host, '__proto__', '{"polluted":true,"authorized_agents":[]}')),
  ),
  buildDirt('duplicate-keys', 'ok', (name, host) =>
    file(withField(name, host, name === 'brand.json' ? 'id' : 'authorized_agents', '"first"')),
  ),
  buildDirt('control-characters', 'ok', (name, host) =>
    answerJson(buildControlCharacters(name, host)),
  ),
]

function formatText(name: FileName, host: string): string {
  return JSON.stringify(buildSmallDocument(name, host), null, 2)
}

/**
 * Puts a field before all others, which JSON.stringify could not do for a repeated or special key.
 */
function withField(name: FileName, host: string, key: string, value: string): string {
  return formatText(name, host).replace('{', `{ "${key}": ${value},`)
}

function buildDeepArray(depth: number): string {
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

const singleBadEntry: Readonly<Record<FileName, (host: string) => Doc>> = {
  'brand.json': host =>
    buildPortfolio({
      house: { domain: host, name: 'Nearly Good' },
      brands: [
        buildCanonicalBrand(host, 'nearly_good'),
        { id: 'Not A Slug', names: 'none' },
        null,
        buildCanonicalBrand(`second.${host}`, 'second_good'),
      ],
    }),
  'adagents.json': host =>
    buildAdagents({
      properties: [
        buildSiteProperty(host, 'Good', { property_id: 'good' }),
        { property_type: 'website', name: 'No identifiers' },
        {
          property_type: 'spaceship',
          name: 'Unknown type',
          identifiers: [{ type: 'domain', value: 5 }],
        },
        null,
        buildSiteProperty(`blog.${host}`, 'Also good', { property_id: 'also_good' }),
      ],
      authorized_agents: [
        buildEntry(seller, 'property_ids', { property_ids: ['good', 'also_good'] }),
        null,
        { url: 17, authorized_for: null, authorization_type: 'property_ids' },
        buildEntry('not a url', 'property_ids', { property_ids: ['good'] }),
        buildEntry('http://insecure.example/mcp', 'property_ids', { property_ids: ['good'] }),
        buildEntry('https://user:secret@login.example/mcp', 'property_ids', {
          property_ids: ['good'],
        }),
        buildEntry(seller, 'property_ids', { property_ids: 'good', countries: ['EMEA', 'uk'] }),
      ],
    }),
}

function buildCanonicalBrand(host: string, id: string): Doc {
  const { names, properties } = buildCanonical(host, id)
  return { id, names, properties, keller_type: 'independent' }
}

function buildControlCharacters(name: FileName, host: string): Doc {
  const title = 'Null\u0000, bell\u0007, override\u202e and half a pair \ud83d'
  if (name === 'brand.json') return buildCanonical(host, 'Control', { names: [{ en: title }] })
  return buildAdagents({
    properties: [buildSiteProperty(host, title, { property_id: 'site' })],
    authorized_agents: [buildEntry(seller, 'property_ids', { property_ids: ['site'] })],
  })
}
