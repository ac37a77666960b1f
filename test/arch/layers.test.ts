import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiPrograms, apiRooms, findFaults, layers, listImports } from './layers.ts'

const root = join(import.meta.dirname, '../..')
const folders = ['pipeline', 'jobs', 'api', 'scripts']

function listSources(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter(name => /\.tsx?$/.test(name)).map(name => `${folder}/${name}`)
}

test('every file imports only what its layer may', () => {
  const sources = folders.flatMap(listSources)
  expect(sources).not.toEqual([])
  expect(sources.flatMap(path => findFaults(path, readFileSync(join(root, path), 'utf8')))).toEqual(
    [],
  )
})

test('no source calls URL.canParse, which Node 20 answers wrongly when it is warm', () => {
  const calls = folders
    .flatMap(listSources)
    .filter(path => /canParse\(/.test(readFileSync(join(root, path), 'utf8')))
  expect(calls).toEqual([])
})

test('whatever the API imports, it reaches neither the way out nor a writer', () => {
  const visited = new Set<string>()
  const open = listSources('api')
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (visited.has(path)) continue
    visited.add(path)
    for (const { specifier, typeOnly } of listImports(readFileSync(join(root, path), 'utf8'))) {
      if (typeOnly || !specifier.startsWith('.')) continue
      open.push(new URL(specifier, `file:///${path}`).pathname.slice(1))
    }
  }
  const closed = /^pipeline\/(?:fetch|live|crawl|writer|maintenance|accounts)\//
  expect(visited.size).toBeGreaterThan(100)
  expect([...visited].filter(path => closed.test(path))).toEqual([])
})

/** Lists what each file below a folder imports of ours. */
function mapImports(below: readonly string[]): Map<string, string[]> {
  return new Map(
    below.flatMap(listSources).map(path => {
      const own = listImports(readFileSync(join(root, path), 'utf8'))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => new URL(specifier, `file:///${path}`).pathname.slice(1))
      return [path, own]
    }),
  )
}

test('no file imports itself by way of others, not even for a type', () => {
  const imports = mapImports(folders)
  expect(imports.size).toBeGreaterThan(500)
  expect(findCycle(imports)).toEqual([])
})

test('each room of the API imports only rooms before it in the list, not even a type of others', () => {
  const nameRoom = (path: string) => /^api\/([^/]+)\//.exec(path)?.[1]
  const climbing: string[] = []
  const found = new Set<string>()
  for (const [path, imported] of mapImports(['api'])) {
    const room = nameRoom(path)
    if (room === undefined || apiPrograms.includes(room)) continue
    found.add(room)
    for (const other of imported.map(nameRoom)) {
      if (other === undefined || other === room) continue
      if (!apiRooms.slice(0, apiRooms.indexOf(room)).includes(other))
        climbing.push(`${path} imports ${other}`)
    }
  }
  expect([...found].sort()).toEqual([...apiRooms].sort())
  expect(climbing).toEqual([])
})

/** Finds a way from a file back to it; empty where there is none. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] => {
    if (done.has(path)) return []
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    for (const next of imports.get(path) ?? []) {
      const cycle = visit(next, [...way, path])
      if (cycle.length > 0) return cycle
    }
    done.add(path)
    return []
  }
  for (const path of imports.keys()) {
    const cycle = visit(path, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

test('a cycle is found', () => {
  const imports = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d']],
    ['d', ['b', 'a']],
  ])
  expect(findCycle(imports)).toEqual(['a', 'c', 'd', 'a'])
})

test('the table of ARCHITECTURE.md names every layer', () => {
  const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    .split('## Layers')[1]!
    .split('\n## ')[0]!
  const cells = Array.from(table.matchAll(/^\| ([^|]+) \|/gm), ([, cell]) => cell!)
  const named = cells.flatMap(cell => Array.from(cell.matchAll(/`([\w/]+)`/g), ([, name]) => name!))
  const paths = named.flatMap(name => [name, `pipeline/${name}`])
  expect(layers.map(({ folder }) => folder).filter(folder => !paths.includes(folder))).toEqual([])
})

test('every folder of sources is a layer', () => {
  const known = new Set(layers.map(({ folder }) => folder))
  const subfolders = readdirSync(join(root, 'pipeline'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => `pipeline/${entry.name}`)
  expect([...folders.slice(1), ...subfolders].filter(folder => !known.has(folder))).toEqual([])
})

describe('a forbidden import is found', () => {
  test.each([
    [
      'api/routes/brands/brands.ts',
      `import { fetchDocument } from '../../../pipeline/fetch/http.ts'`,
      'api/ may not import pipeline/fetch: the API has no way out to the network',
    ],
    [
      'api/routes/brands/brands.ts',
      `import {\n  add,\n} from '../../../pipeline/writer/sequencer.ts'`,
      'api/ may not import pipeline/writer: the API reads only, through pipeline/read',
    ],
    [
      'pipeline/core/domain.ts',
      `export * from '../model/brand.ts'`,
      'pipeline/core/ may not import pipeline/model: core is the lowest layer',
    ],
    [
      'pipeline/writer/depends.ts',
      `const { crawl } = await import('../crawl/crawl-domain.ts')`,
      'pipeline/writer/ may not import pipeline/crawl: the writer and its projections take observations and reach no network',
    ],
    [
      'scripts/world/answer.ts',
      `import '../../pipeline/core/clock.ts'`,
      'scripts/world/ may not import pipeline/core: the demo internet must not share the mistakes of what it tests',
    ],
    [
      'pipeline/diff/publisher-rows.ts',
      `import { readFileSync } from 'node:fs'`,
      'pipeline/diff/ may not import node:fs: a difference is pure: two states in, changes out',
    ],
    [
      'api/app.ts',
      `import { fetch } from 'undici'`,
      'undici may be imported only in pipeline/fetch',
    ],
    [
      'api/app.ts',
      `import net from 'node:net'`,
      'node:net may be imported only in pipeline/fetch, jobs, scripts',
    ],
    [
      'jobs/crawler/crawler.ts',
      `import cors from '@fastify/cors'`,
      '@fastify/cors may be imported only in api',
    ],
    [
      'jobs/crawler/crawler.ts',
      `import 'left-pad'`,
      'left-pad has no place yet: give it one in test/arch/layers.ts',
    ],
    [
      'jobs/crawler/crawler.ts',
      `run(process.env)`,
      'only scripts/ reads process.env: settings are passed in',
    ],
  ])('%s: %s', (path, source, fault) => {
    expect(findFaults(path, source)).toEqual([`${path}: ${fault}`])
  })
})

test.each([
  [
    'api/routes/brands/brands.ts',
    `import { findBrand } from '../../../pipeline/read/lookups/resolutions.ts'`,
  ],
  ['api/app.ts', `import type { IncomingMessage } from 'node:http'`],
  [
    'pipeline/store/columnar/duckdb-instance.ts',
    `import { DuckDBInstance } from '@duckdb/node-api'`,
  ],
  ['scripts/registry.ts', `const { start } = await import('../jobs/supervisor.ts')\nprocess.env`],
  [
    'api/auth/user-tokens.ts',
    `import { jwtVerify } from 'jose/jwt/verify'\nimport { hash } from './keys.ts'`,
  ],
])('%s may say %s', (path, source) => {
  expect(findFaults(path, source)).toEqual([])
})

test('imports are read over several lines, and strings are not taken for them', () => {
  const source = `import {\n  a,\n  type B,\n} from './a.ts'\nexport const c = 'from'\nexport type { D } from "d"\n`
  expect(listImports(source)).toEqual([
    { specifier: './a.ts', typeOnly: false },
    { specifier: 'd', typeOnly: true },
  ])
})
