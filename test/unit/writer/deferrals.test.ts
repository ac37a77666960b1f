import { expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../../pipeline/core/clock.ts'
import { toFreshnessKey } from '../../../pipeline/serving/keys.ts'
import { observeBrandFile } from '../../support/fixtures/documents.ts'
import { observeFile } from '../../support/fixtures/observations.ts'
import { openRegistry } from '../../support/registry/app.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const registry = openForAll(openRegistry)

const state = (location: string) =>
  registry.sequencer.index.one<{ due: number; attempted: number | null; outcome: string | null }>(
    `select +due_at as due, +attempted_at as attempted, outcome
     from crawl_state where kind = 'brand.json' and location = $location`,
    { location },
  )
const freshness = async (domain: string) =>
  (await registry.app.inject(`/api/brands/resolve?domain=${domain}`)).json().freshness

const deferred = (location: string, retry_after_s: number) => ({
  kind: 'brand.json' as const,
  location,
  outcome: 'deferred' as const,
  retry_after_s,
})

test('a deferred file is due later, was not attempted, and its freshness says so', async () => {
  const domains = ['new.example'] as never[]
  await registry.submit({ op: 'domains.add', domains, again: false })
  await registry.observe(deferred('new.example', 90))
  const { due, ...more } = (await state('new.example'))!
  expect(due).toBe(registry.clock.now() + 90 * SECOND)
  expect(more).toEqual({ attempted: null, outcome: 'deferred' })
  expect(await freshness('new.example')).toEqual({ state: 'never_crawled', outcome: 'deferred' })
  registry.clock.tick(2 * MINUTE)
  await registry.observe(observeBrandFile('new.example', 'New'))
  expect(await freshness('new.example')).toMatchObject({ state: 'current', outcome: 'ok' })
})

test('the content of a deferred file stays, with its age', async () => {
  await registry.observe(observeBrandFile('known.example', 'Known'))
  const before = await freshness('known.example')
  registry.clock.tick(MINUTE)
  await registry.observe(deferred('known.example', 600))
  expect(await freshness('known.example')).toEqual(before)
  expect((await state('known.example'))!.due).toBe(registry.clock.now() + 600 * SECOND)
})

test('a later attempt cancels a deferral', async () => {
  const at = registry.clock.now()
  registry.clock.tick(MINUTE)
  await registry.observe(observeBrandFile('since.example', 'Since'))
  const before = await state('since.example')
  await registry.observe({ ...deferred('since.example', 1e6), observed_at: at })
  expect(await state('since.example')).toEqual(before)
})

test('an agent that was only deferred leaves nothing behind when nobody names it anymore', async () => {
  const location = 'https://sales.left.example/mcp'
  const name = (...agents: object[]) =>
    registry.observe(
      observeFile(
        'brand.json',
        'left.example',
        { id: 'left', names: [{ en: 'Left' }], agents },
        registry.clock.now(),
      ),
    )
  const { serving } = registry.sequencer
  const isShown = () => serving.text('freshness', toFreshnessKey('agent', location)) !== undefined
  await name({ type: 'sales', id: 'sales', url: location })
  await registry.observe({ kind: 'agent', location, outcome: 'deferred', retry_after_s: 90 })
  expect(isShown()).toBe(true)
  registry.clock.tick(MINUTE)
  await name()
  expect(isShown()).toBe(false)
})

test('all stores agree', async () => {
  expect(await registry.verify()).toEqual([])
})
