import { load } from 'cheerio'
import { beforeAll, expect, test } from 'vitest'
import { getEffect, type Outcome, outcomes } from '../../pipeline/core/outcomes.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { buildOperatorFile, publishFiles } from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop } from '../support/worlds/nights.ts'

const names = Object.keys(outcomes) as Outcome[]
const failures = names.filter(outcome => getEffect(outcome) !== 'success')

const registry = openForAll(openRegistry)

const toDomain = (outcome: Outcome) => `${outcome.replaceAll('_', '-')}.example`

beforeAll(async () => {
  for (const outcome of failures) {
    const location = toDomain(outcome)
    // By its brand.json the page has inventory to show, whatever became of the adagents.json.
    const brand = buildOperatorFile([], [{ identifier: location, relationship: 'owned' }])
    await publishFiles(registry, { [`brand ${location}`]: brand })
    await registry.observe({ kind: 'adagents.json', location, outcome })
  }
  await registry.publish()
})

test.each(failures)('a publisher without a file, after %s', async outcome => {
  const { body } = await registry.app.inject(`/publisher/${toDomain(outcome)}`)
  const page = load(body)
  const isAbsent = getEffect(outcome) === 'absent'
  expect(page('#properties').text()).toContain(toDomain(outcome))
  expect([
    page('#agents').text().includes('Unknown: '),
    page('#agents').text().includes('No agent is authorized'),
    page('.tiles dd').eq(1).text(),
    page('#file').text().includes('Nowhere'),
  ]).toEqual([!isAbsent, isAbsent, isAbsent ? '0' : '–', isAbsent])
})

test('a publisher whose file was valid, and has not answered for so long that its grants ended', async () => {
  const location = 'expired.example'
  const brand = buildOperatorFile([], [{ identifier: location, relationship: 'owned' }])
  await publishFiles(registry, { [location]: buildShop(location) })
  registry.clock.tick({ days: 8 })
  await publishFiles(registry, { [`brand ${location}`]: brand })
  await registry.observe({ kind: 'adagents.json', location, outcome: 'timeout' })
  await registry.publish()
  const { body } = await registry.app.inject(`/publisher/${location}`)
  expect(load(body)('#agents').text()).not.toContain('Unknown: ')
  expect(load(body)('#agents').text()).toContain('No agent is authorized')
})

test('a file that was read, and in which nothing can be used, is called invalid alone', async () => {
  const location = 'useless.example'
  await registry.observe(observePublisherFile(location, { sites: [], agents: [] }))
  const lookup = await registry.app.inject(`/api/registry/publisher?domain=${location}`)
  expect(lookup.json()).toMatchObject({ adagents_valid: false, freshness: { state: 'invalid' } })
  const page = load((await registry.app.inject(`/publisher/${location}`)).body)
  expect(page('.tiles dd').first().text()).toBe('Invalid')
  expect(page('.freshness').text()).toMatch(/^invalid adagents.json can’t be used\. Last checked/)
  expect(page('main').text()).not.toMatch(/\bcurrent\b|up to date/)
  expect(page('#properties').text()).toContain('no valid properties')
})
