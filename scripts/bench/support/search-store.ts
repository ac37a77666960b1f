import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { getAt, getFirst, requireValue } from '../../../pipeline/core/present.ts'
import { readSearchCheckpoint } from '../../../pipeline/search/checkpoint.ts'
import { SearchPublisher } from '../../../pipeline/search/publish.ts'
import { advance } from '../../../pipeline/store/checkpoint.ts'
import { Database } from '../../../pipeline/store/duckdb.ts'
import { resolvePaths } from '../../../pipeline/store/paths.ts'
import { createTables } from '../../../pipeline/store/schema.ts'
import { createRandom, type Random } from '../../world/random.ts'

const syllables = [
  'ba',
  'be',
  'bri',
  'ca',
  'cor',
  'da',
  'del',
  'do',
  'el',
  'fa',
  'fin',
  'ga',
  'gran',
  'ha',
  'hel',
  'in',
  'ja',
  'ka',
  'kon',
  'la',
  'len',
  'lo',
  'ma',
  'mer',
  'mi',
  'mon',
  'na',
  'ne',
  'nor',
  'o',
  'pa',
  'per',
  'pol',
  'qua',
  'ra',
  'ri',
  'ro',
  'sa',
  'sen',
  'si',
  'so',
  'ster',
  'ta',
  'ter',
  'ti',
  'to',
  'tra',
  'u',
  'va',
  'ver',
  'vi',
  'wa',
  'win',
  'xa',
  'ya',
  'zen',
  'zo',
  'ö',
  'ß',
  'né',
] as [string, ...string[]]
const kinds = ['Media', 'Group', 'Foods', 'Motors', 'Daily', 'Labs', 'Bank', 'Sports'] as const
const tlds = ['com', 'com', 'com', 'net', 'org', 'de', 'co.uk', 'news'] as const

export interface BenchName {
  name: string
  domain: string
}

/** Invents a name like a company's, and a domain made of it. */
export function buildName(number: number): BenchName {
  const random = createRandom('name', number)
  const words = [drawWord(random), drawWord(random)]
  const host = words.join(random.chance(0.3) ? '-' : '').normalize('NFKD')
  const label = host.replace(/[^a-z-]/g, '') + (random.chance(0.2) ? number : '')
  return {
    name: `${words.map(capitalize).join(' ')} ${random.pick(kinds)}`,
    domain: `${label}.${random.pick(tlds)}`,
  }
}

function drawWord(random: Random): string {
  return Array.from({ length: 2 + random.below(2) }, () => random.pick(syllables)).join('')
}

function capitalize(word: string): string {
  return getFirst(word).toUpperCase() + word.slice(1)
}

const BRANDS = `insert into brands by name
select domain, domain as canonical_id, domain as canonical_domain, name as brand_name,
  'brand_json' as source, 'master' as keller_type, '[]'::json as names, '{}'::json as manifest, 1 as seq
from names where number % 5 < 3`
const PUBLISHERS = `insert into publishers by name
select domain, true as valid, 'direct' as discovery_method, domain as resolved_location,
  1 as agent_count, 1 as property_count, 0 as collection_count, 0 as placement_count,
  0 as format_count, 0 as signal_count, '{}'::json as fields, '{}'::json as catalog,
  now() as discovered_at, now() as changed_at, 1 as seq
from names where number % 5 = 3`
const PROPERTIES = `insert into properties by name
select uuid() as property_rid, (select min(domain) from publishers) as publisher_domain,
  'site' as property_id, 'website' as property_type, name,
  [{type: 'domain', value: domain}] as identifiers, ['all'] as tags, [] as supported_channels,
  [] as channels, 'property' as classification, 'authoritative' as source, 'active' as status,
  now() as created_at, now() as changed_at, 1 as seq
from names where number % 5 = 4`

/**
 * Fills a snapshot with `names` names, three in five of them brands, and builds its search file.
 */
export async function fillNames(
  folder: string,
  names: number,
): Promise<{ seconds: number; MB: number }> {
  const paths = resolvePaths(folder)
  const marker = `${folder}/names-${names}`
  if (!existsSync(marker)) await fillSnapshot(paths.snapshots, paths.snapshotFile(1), names)
  writeFileSync(marker, '')
  advance(paths, {
    seq: 1,
    snapshot: basename(paths.snapshotFile(1)),
    last_event_id: null,
    sha256: '',
  })
  const started = performance.now()
  await new SearchPublisher(paths).publish()
  const { file } = requireValue(readSearchCheckpoint(paths), 'search file')
  const seconds = (performance.now() - started) / 1_000
  return { seconds, MB: statSync(`${paths.search}/${file}`).size / 1e6 }
}

async function fillSnapshot(folder: string, file: string, names: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const db = await Database.open(file)
  await createTables(db)
  await db.run('create temp table names (number double, name varchar, domain varchar)')
  await db.append('names', buildRows(names))
  for (const insert of [BRANDS, PUBLISHERS, PROPERTIES, 'drop table names']) await db.run(insert)
  db.close()
}

function* buildRows(names: number): Iterable<[number, string, string]> {
  for (let number = 0; number < names; number++) {
    const { name, domain } = buildName(number)
    yield [number, name, domain]
  }
}

/**
 * Questions that people ask: a whole name or domain, its prefix, a substring, or one with a typo.
 */
export const questionTexts = {
  exact: (_: Random, text: string) => text,
  prefix: (random: Random, text: string) => text.slice(0, 4 + random.below(5)),
  substring: (random: Random, text: string) => {
    const from = 1 + random.below(Math.max(1, text.length - 6))
    return text.slice(from, from + 4 + random.below(4))
  },
  typo: misspell,
} as const satisfies Record<string, (random: Random, text: string) => string>

function misspell(random: Random, text: string): string {
  const characters = [...text]
  const at = random.below(characters.length - 1)
  const letter = getFirst(random.pick(syllables))
  const edit = random.below(4)
  if (edit === 0) characters.splice(at, 1)
  else if (edit === 1) characters.splice(at, 0, letter)
  else if (edit === 2) characters[at] = letter
  else characters.splice(at, 2, getAt(characters, at + 1), getAt(characters, at))
  return characters.join('')
}
