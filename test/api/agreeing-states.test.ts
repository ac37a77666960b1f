import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../../pipeline/core/outcomes.ts'
import type { FileKind } from '../../pipeline/model/observation.ts'
import { observeFile, observeOutcome } from '../support/fixtures/observations.ts'
import { publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop } from '../support/worlds/nights.ts'
import { isleAdsTxt, shoreFiles } from '../support/worlds/shore-files.ts'

const at = (name: string, kind: FileKind) => `https://files.example/${name}/${kind}`
const leadTo = (authoritative_location: string) => ({ authoritative_location })
const brand = { id: 'end', names: [{ en: 'End' }] }

/** Files that are read and lead nowhere, too far, or to what cannot be read. */
const broken: Record<string, object> = {
  'useless.example': { authorized_agents: [] },
  'wrong.example': { authorized_agents: 'none', properties: { a: 1 } },
  'to-useless.example': leadTo(at('useless', 'adagents.json')),
  [at('useless', 'adagents.json')]: { authorized_agents: [] },
  'to-pointer.example': leadTo(at('pointer', 'adagents.json')),
  [at('pointer', 'adagents.json')]: leadTo(at('end', 'adagents.json')),
  [at('end', 'adagents.json')]: buildShop('to-pointer.example'),
  'to-itself.example': leadTo('https://to-itself.example/.well-known/adagents.json'),
  'to-failing.example': leadTo(at('failing', 'adagents.json')),
  'to-absent.example': leadTo(at('absent', 'adagents.json')),
  'to-unread.example': leadTo(at('unread', 'adagents.json')),
  'to-hosted.example': leadTo(
    'https://registry.example/publisher/to-hosted.example/.well-known/adagents.json',
  ),
  'brand ring-one.example': { house: 'ring-two.example' },
  'brand ring-two.example': { house: 'ring-one.example' },
  'brand own-house.example': { house: 'own-house.example' },
  'brand way-4.example': { house: 'way-3.example' },
  'brand way-3.example': { house: 'way-2.example' },
  'brand way-2.example': { house: 'way-1.example' },
  'brand way-1.example': { house: 'way-0.example' },
  'brand way-0.example': brand,
  'brand to-failing.example': leadTo(at('failing', 'brand.json')),
  'brand to-absent.example': leadTo(at('absent', 'brand.json')),
  'brand to-hosted.example': leadTo('https://registry.example/brands/to-hosted.example/brand.json'),
}
const outcomes: Partial<Record<Outcome, readonly [kind: FileKind, location: string][]>> = {
  timeout: [
    ['adagents.json', at('failing', 'adagents.json')],
    ['brand.json', at('failing', 'brand.json')],
    ['brand.json', 'silent.example'],
  ],
  absent: [
    ['adagents.json', at('absent', 'adagents.json')],
    ['brand.json', at('absent', 'brand.json')],
    ['adagents.json', 'isle.example'],
    ['brand.json', 'none.example'],
  ],
  not_json: [['adagents.json', 'page.example']],
  unusable: [['brand.json', 'empty.example']],
}
const registry = openForAll(openRegistry)

beforeAll(async () => {
  const now = registry.clock.now()
  await registry.observe(
    ...Object.entries(shoreFiles).flatMap(([kind, files]) =>
      Object.entries(files).map(([location, file]) =>
        observeFile(kind as FileKind, location, file, now),
      ),
    ),
    ...Object.entries(outcomes).flatMap(([outcome, files]) =>
      files.map(([kind, location]) => observeOutcome(outcome as Outcome, kind, location, now)),
    ),
    observeFile('ads.txt', 'isle.example', isleAdsTxt, now),
  )
  await publishFiles(registry, broken)
})

/** Selects files of domains with their state; a publisher without a file of its own has that of its manager. */
const STATES = `
select h.kind, h.location as domain, coalesce(m.state, h.state) as state from main.crawl_health h
left join main.publishers p on h.kind = 'adagents.json' and p.domain = h.location
  and p.discovery_method = 'ads_txt_managerdomain'
left join main.crawl_health m on m.kind = h.kind and m.location = p.resolved_location
where h.kind in ('brand.json', 'adagents.json') and h.location not like 'https:%'
order by all`

const places = {
  'brand.json': ['/api/brands/resolve?domain=', '/brand/'],
  'adagents.json': ['/api/registry/publisher?domain=', '/publisher/'],
} as const satisfies Partial<Record<FileKind, readonly [api: string, page: string]>>

async function readStates() {
  await registry.publish()
  const found = await registry.reader.snapshot!.db.all<{
    kind: keyof typeof places
    domain: string
    state: string
  }>(STATES)
  return Promise.all(
    found.map(async ({ kind, domain, state: sql }) => {
      const [api, page] = places[kind]
      const answer = await registry.app.inject(`${api}${domain}`)
      const { body } = await registry.app.inject(`${page}${domain}`)
      const badge = load(body)('.freshness .badge').first().text()
      return { file: `${kind} ${domain}`, sql, api: answer.json().freshness.state, page: badge }
    }),
  )
}

const words: Readonly<Record<string, string>> = {
  absent: 'not found',
  never_crawled: 'never crawled',
}

async function expectAgreement(): Promise<Map<string, string>> {
  const states = await readStates()
  expect(states).toEqual(
    states.map(({ file, sql }) => ({ file, sql, api: sql, page: words[sql] ?? sql })),
  )
  return new Map(states.map(({ file, sql }) => [file, sql]))
}

test('pages, the API and SQL name the same state for the file of every domain', async () => {
  const states = await expectAgreement()
  const invalid = [...states].flatMap(([file, state]) => (state === 'invalid' ? [file] : []))
  expect(invalid).toEqual([
    'brand.json empty.example',
    'brand.json own-house.example',
    'brand.json ring-one.example',
    'brand.json ring-two.example',
    'brand.json way-4.example',
    'adagents.json page.example',
    'adagents.json to-itself.example',
    'adagents.json to-pointer.example',
    'adagents.json to-useless.example',
    'adagents.json useless.example',
    'adagents.json wrong.example',
  ])
  expect(new Set(states.values())).toEqual(
    new Set(['current', 'failing', 'absent', 'invalid', 'never_crawled']),
  )
})

test('they agree also where nothing was read for two days, or attempts fail', async () => {
  registry.clock.tick({ days: 2 })
  const now = registry.clock.now()
  await registry.observe(
    observeOutcome('unchanged', 'adagents.json', 'useless.example', now),
    observeOutcome('timeout', 'adagents.json', 'wrong.example', now),
    observeOutcome('unchanged', 'brand.json', 'way-0.example', now),
    observeOutcome('absent', 'brand.json', 'ring-one.example', now),
  )
  const states = await expectAgreement()
  expect(states.get('adagents.json wrong.example')).toBe('failing')
  expect(states.get('adagents.json useless.example')).toBe('invalid')
  expect(states.get('brand.json way-3.example')).toBe('stale')
  expect(states.get('brand.json ring-two.example')).toBe('absent')
})
