import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { tenants } from '../../../api/agent/tenants.ts'
import { tracks } from '../../../pipeline/model/storyboards/storyboard.ts'
import { listStoryboards, readStoryboards } from '../../../pipeline/storyboards/catalog.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'

const listSteps = () =>
  listStoryboards().flatMap(({ storyboard }) => storyboard.phases.flatMap(({ steps }) => steps))

test('every task of the reference agent is called by a storyboard', () => {
  const called = new Set(listSteps().map(({ task }) => task))
  const offered = tenants.flatMap(({ tasks }) => tasks.map(task => task.name('proto')))
  expect([...new Set(offered)].filter(name => !called.has(name))).toEqual([])
})

/** Storyboards by each task: those that have it carried out, and those by which it must be refused. */
const coverage: [task: string, carriedOut: string, refused: string][] = [
  ['activate_signal', 'signal_activation', 'signal_activation'],
  ['build_creative', 'creative_build_and_preview', 'creative_build_and_preview'],
  ['check_governance', 'spend_governance', 'spend_governance'],
  ['comply_test_controller', 'test_controller', 'test_controller'],
  ['create_media_buy', 'media_buy_lifecycle', 'media_buy_lifecycle'],
  ['get_brand_identity', 'brand_identity', 'brand_identity'],
  ['get_media_buy_delivery', 'delivery_reporting', 'delivery_reporting'],
  ['get_media_buys', 'media_buy_lifecycle', 'media_buy_lifecycle'],
  ['get_plan_audit_logs', 'spend_governance', 'spend_governance'],
  ['get_products', 'product_discovery', 'product_discovery'],
  ['get_proto_capabilities', 'capability_discovery', 'error_handling'],
  ['get_signals', 'signal_activation', 'signal_activation'],
  ['list_accounts', 'account_setup', 'account_setup'],
  ['list_creative_formats', 'creative_build_and_preview', 'creative_build_and_preview'],
  ['list_creatives', 'creative_library', 'creative_library'],
  ['log_event', 'catalog_and_events', 'catalog_and_events'],
  ['preview_creative', 'creative_build_and_preview', 'creative_build_and_preview'],
  ['provide_performance_feedback', 'delivery_reporting', 'delivery_reporting'],
  ['report_plan_outcome', 'spend_governance', 'spend_governance'],
  ['sync_accounts', 'account_setup', 'account_setup'],
  ['sync_audiences', 'audience_sync', 'audience_sync'],
  ['sync_catalogs', 'catalog_and_events', 'catalog_and_events'],
  ['sync_creatives', 'creative_library', 'creative_library'],
  ['sync_event_sources', 'catalog_and_events', 'catalog_and_events'],
  ['sync_governance', 'account_governance', 'account_governance'],
  ['sync_plans', 'spend_governance', 'spend_governance'],
  ['update_media_buy', 'media_buy_lifecycle', 'media_buy_lifecycle'],
]

test.each(coverage)('%s is carried out in %s, and refused in %s', (task, carriedOut, refused) => {
  const hasStep = (id: string, isRefused: boolean) =>
    listStoryboards()
      .filter(({ storyboard }) => storyboard.id === id)
      .flatMap(({ storyboard }) => storyboard.phases.flatMap(({ steps }) => steps))
      .some(step => step.task === task && step.expect_error === isRefused)
  expect([hasStep(carriedOut, false), hasStep(refused, true)]).toEqual([true, true])
})

test('only a task that needs an unfinished one is never carried out', () => {
  const tasks = [...new Set(listSteps().map(({ task }) => task))].sort()
  expect(tasks.filter(task => !coverage.some(([covered]) => covered === task))).toEqual([
    'tasks_get',
  ])
})

test('every protocol and specialism that has a bundle is one of the reference agent’s', () => {
  const claimed = tenants.flatMap(({ protocols, specialisms }) => [...protocols, ...specialisms])
  const bundles = listStoryboards().map(({ bundle }) => bundle.id)
  expect([...new Set(bundles)].filter(id => ![...claimed, 'universal'].includes(id))).toEqual([])
  const protocols = [...new Set(tenants.flatMap(tenant => tenant.protocols))]
  expect(protocols.filter(id => !bundles.includes(id))).toEqual([])
})

test('every storyboard except the first also sends a request that must be refused', () => {
  const harmless = listStoryboards().filter(
    ({ storyboard: { phases } }) =>
      !phases.some(({ steps }) => steps.some(({ expect_error }) => expect_error)),
  )
  expect(harmless.map(({ storyboard }) => storyboard.id)).toEqual(['capability_discovery'])
})

test('every write has an idempotency key, unless the storyboard tests its absence', () => {
  const writes = tenants.flatMap(({ tasks }) =>
    tasks.filter(({ mutates }) => mutates).map(task => task.name('proto')),
  )
  const without = listSteps().filter(
    ({ task, sample_request, expect_error }) =>
      writes.includes(task) && sample_request.idempotency_key === undefined && !expect_error,
  )
  expect(without).toEqual([])
})

test('a storyboard buys only with sandbox accounts', () => {
  const orders = listSteps().filter(({ task }) => task === 'create_media_buy')
  expect(orders.length).toBeGreaterThan(5)
  for (const { sample_request } of orders) {
    expect(sample_request.account).toMatchObject({ sandbox: true })
  }
})

test('every track has a storyboard', () => {
  const used = new Set(listStoryboards().map(({ storyboard }) => storyboard.track))
  expect(tracks.filter(track => !used.has(track))).toEqual([])
})

const step = {
  id: 'ask',
  title: 'Ask',
  task: 'get_products',
  expected: 'An answer',
  validations: [{ check: 'field_present', path: 'products' }],
}
const storyboard = {
  id: 'sample',
  version: '1.0.0',
  title: 'Sample',
  category: 'sample',
  summary: 'A sample',
  narrative: 'A sample of a storyboard.',
  track: 'core',
  default_agent: 'sales',
  agent: { interaction_model: 'request_response', capabilities: [] },
  caller: { role: 'buyer_agent' },
  phases: [{ id: 'only', title: 'Only', steps: [step] }],
}
const withStep = (more: object) => ({
  ...storyboard,
  phases: [{ id: 'only', title: 'Only', steps: [{ ...step, ...more }] }],
})

function read(written: object, file = 'universal/sample.yaml') {
  const { path, remove } = makeTemporaryFolder()
  try {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), stringify(written))
    return readStoryboards(path)
  } finally {
    remove()
  }
}

test('a storyboard belongs to the bundle named by its folder', () => {
  expect(read(storyboard)).toMatchObject([{ bundle: { kind: 'universal', id: 'universal' } }])
  expect(read(storyboard, 'protocols/signals/sample.yaml')).toMatchObject([
    { bundle: { kind: 'domain', id: 'signals' } },
  ])
  expect(read(storyboard, 'specialisms/audience-sync/sample.yaml')).toMatchObject([
    { bundle: { kind: 'specialism', id: 'audience-sync' } },
  ])
})

test.each([
  ['a field that nobody knows', { ...storyboard, extra: 1 }, 'extra'],
  ['a kind of check that nobody knows', withStep({ validations: [{ check: 'luck' }] }), 'check'],
  ['a check without an expectation', withStep({ validations: [{ check: 'error_code' }] }), 'value'],
  [
    'a pattern that is none',
    withStep({ validations: [{ check: 'field_pattern', path: 'a', value: '(' }] }),
    'regular expression',
  ],
  [
    'a value that no step put out',
    withStep({ sample_request: { id: '$context.none' } }),
    '$context.none is not a valid substitution',
  ],
  ['a reference of another kind', withStep({ sample_request: { id: '{{x}}' } }), '{{x}}'],
  [
    'a phase that depends on a later one',
    { ...storyboard, phases: [{ ...storyboard.phases[0], depends_on: ['late'] }] },
    'late is not an earlier phase',
  ],
  [
    'an id that is used twice',
    { ...storyboard, phases: [{ ...storyboard.phases[0], steps: [step, step] }] },
    'ask is used twice',
  ],
  ['an id that is not the name of its file', { ...storyboard, id: 'other' }, 'has the id other'],
])('a storyboard with %s is refused', (_what, written, fault) => {
  expect(() => read(written)).toThrow(fault)
})
