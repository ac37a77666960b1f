import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import {
  Command,
  type Environment,
  makeTemporaryFolder,
  runRegistry,
} from '../support/processes/command.ts'

/** Documents found on the web where they are at hand, else some of our own: `<kind>/<name>.json`. */
const CORPUS = existsSync('../shared/corpus') ? '../shared/corpus' : 'test/fixtures/documents'

interface Document {
  house?: { domain?: string }
  contact?: { domain?: string }
  properties?: { publisher_domain?: string }[]
  url?: string
}

interface Laid {
  domain: string
  kind: 'brand.json' | 'adagents.json'
  name: string
}

const folder = makeTemporaryFolder()
const env: Environment = { DATA_DIR: `${folder.path}/data`, LOG_LEVEL: 'warn' }
const laid: Laid[] = []
let world: Command

/** Returns the domain that a document speaks for, or makes one up. */
function toDomain(name: string, document: Document): string {
  const named =
    document.house?.domain ??
    document.contact?.domain ??
    document.properties?.[0]?.publisher_domain ??
    (document.url && new URL(document.url).hostname)
  return typeof named === 'string' ? named : `${name}.corpus.example`
}

beforeAll(async () => {
  for (const kind of ['brand', 'adagents'] as const) {
    for (const file of readdirSync(`${CORPUS}/${kind}`)) {
      const text = readFileSync(`${CORPUS}/${kind}/${file}`, 'utf8')
      const name = file.replace(/\.json$/, '')
      const wanted = toDomain(name, JSON.parse(text))
      const taken = laid.some(file => file.domain === wanted && file.kind === `${kind}.json`)
      const domain = taken ? `${name}.${wanted}` : wanted
      laid.push({ domain, kind: `${kind}.json`, name })
      mkdirSync(`${folder.path}/web/${domain}/.well-known`, { recursive: true })
      writeFileSync(`${folder.path}/web/${domain}/.well-known/${kind}.json`, text)
    }
  }
  writeFileSync(`${folder.path}/domains.txt`, laid.map(({ domain }) => domain).join('\n'))
  mkdirSync(`${folder.path}/data`)
  world = new Command(['world', '--dir', `${folder.path}/web`], env)
  const [, url] = await world.waitForOutput(/at (http:\S+)/)
  env.CRAWL_CONNECT_TO = url
})

afterAll(async () => {
  await world.interrupt()
  folder.remove()
})

test('captured files are crawled by the command line; every file is read and its faults are named', async () => {
  const { stdout } = await runRegistry(
    ['crawl', '--domains', `${folder.path}/domains.txt`, '--json'],
    env,
  )
  const summary = JSON.parse(stdout) as {
    outcomes: { kind: string; outcome: string; files: number }[]
  }
  for (const kind of ['brand.json', 'adagents.json']) {
    const ok = summary.outcomes.find(outcome => outcome.kind === kind && outcome.outcome === 'ok')
    expect(ok?.files).toBe(laid.filter(file => file.kind === kind).length)
  }
  const db = await Database.open(`${env.DATA_DIR}/registry.duckdb`, { readOnly: true })
  const faults = await db.all<{ n: number }>(
    `select count(*) as n from documents where fault_count > 0 and json_array_length(faults) != fault_count`,
  )
  const brands = await db.one<{ n: number }>('select count(*) as n from brands')
  db.close()
  expect(faults[0]?.n).toBe(0)
  expect(brands?.n).toBeGreaterThan(1)
  expect((await runRegistry(['verify'], env)).stdout).toBe('All stores agree.\n')
})
