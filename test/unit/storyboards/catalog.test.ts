import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { z } from 'zod'
import {
  COMPLIANCE_TARGET,
  referenceTenants,
  STORYBOARD_PROTOCOL_VERSION,
  Storyboard,
  StoryboardPhase,
  StoryboardStep,
} from '../../../pipeline/model/storyboards/storyboard.ts'
import { isObject } from '../../../pipeline/parse/object-reader.ts'
import { buildRequest } from '../../../pipeline/storyboards/build-request.ts'
import { parseStoryboard, parseTestKit } from '../../../pipeline/storyboards/bundle-text.ts'
import { listInstalledBundles } from '../../../pipeline/storyboards/bundles/bundle-folder.ts'
import { listStoryboards, readKit, readStoryboard } from '../../../pipeline/storyboards/catalog.ts'
import { runnerTasks } from '../../../pipeline/storyboards/plan-step.ts'
import { runnerKits } from '../../../pipeline/storyboards/prepare-run.ts'
import { createState } from '../../../pipeline/storyboards/run-state.ts'
import { checkSchema } from '../../../pipeline/storyboards/schemas.ts'

const storyboards = listStoryboards().map(readStoryboard)
const steps = storyboards.flatMap(storyboard =>
  storyboard.phases.flatMap(phase => phase.steps.map(step => ({ storyboard, phase, step }))),
)
const [installed] = listInstalledBundles()

test('the installed bundle is the one that the registry says it tests by', () => {
  expect([installed!.version, installed!.target]).toEqual([
    STORYBOARD_PROTOCOL_VERSION,
    COMPLIANCE_TARGET,
  ])
})

test('every storyboard of the installed bundle is in the catalog', () => {
  const files = readdirSync(installed!.folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /^(universal|protocols|specialisms)\/.*\.yaml$/.test(name))
    .map(name => join(installed!.folder, name))
    .filter(file => /^phases:/m.test(readFileSync(file, 'utf8')))
  expect(files.length).toBeGreaterThan(50)
  const known = new Set(listStoryboards().map(({ file }) => file))
  expect(files.filter(file => !known.has(file))).toEqual([])
})

test('what lists say of a storyboard is what it has', () => {
  for (const { storyboard: listed, ...entry } of listStoryboards()) {
    const { phases } = readStoryboard({ storyboard: listed, ...entry })
    const all = phases.flatMap(phase => phase.steps)
    expect([listed.id, listed.phase_count, listed.step_count]).toEqual([
      listed.id,
      phases.length,
      all.length,
    ])
    const named = all.flatMap(({ task, task_default = task }) => [task, task_default])
    expect([...new Set(named)].filter(task => !/^\$/.test(task)).sort()).toEqual(
      [...listed.tasks].sort(),
    )
  }
})

test('every kind of check in the storyboards is known', () => {
  const unknown = steps.flatMap(({ step }) =>
    step.validations.flatMap(rule => (rule.check === 'unknown' ? rule.kind : [])),
  )
  expect(unknown).toEqual([])
})

test('every step calls a task that has a schema, or is one that the runner knows', () => {
  const own = steps.filter(({ storyboard }) => storyboard.source.folder === installed!.folder)
  const described = own.filter(({ step }) => step.response_schema_ref !== undefined)
  const tasks = new Set(described.map(({ step }) => step.task))
  const unknown = own.filter(
    ({ step: { task, task_default } }) =>
      !tasks.has(task) && !Object.hasOwn(runnerTasks, task) && task_default === undefined,
  )
  expect(unknown.map(({ step }) => step.task)).toEqual([])
})

/** Members of storyboards that tell people something, or other runners what this one always does. */
const unread = {
  storyboard: ['caller', 'platform_types', 'protocol', 'grading', 'invariants'],
  phase: ['$comment'],
  step: [
    'comply_scenario',
    'sample_response',
    'reviewer_checks',
    // Requests are sent as they are written, webhooks have an address for each step and the tag of their profile.
    'sample_request_skip_schema',
    'omit_idempotency_key',
    'filter',
    'require_tag',
    // Those of a step that looks at pages, which no step here does.
    'source',
    'source_path',
    'macro_template',
    'require_every_binding_observed',
    'catalog_bindings',
  ],
}

test('every member of the bundle’s storyboards is read, or says nothing to a run', () => {
  const texts = listStoryboards().filter(({ source }) => source.folder === installed!.folder)
  const written: Record<string, unknown>[] = texts.map(({ file }) =>
    parse(readFileSync(file, 'utf8'), { merge: true }),
  )
  const phases = written.flatMap(({ phases }) => phases as Record<string, unknown>[])
  const steps = phases.flatMap(({ steps = [] }) => steps as Record<string, unknown>[])
  const find = (values: object[], schema: { shape: object }, others: string[]) => {
    const names = new Set(values.flatMap(value => Object.keys(value)))
    return [...names].filter(name => !(name in schema.shape) && !others.includes(name))
  }
  expect({
    storyboard: find(written, Storyboard, unread.storyboard),
    phase: find(phases, StoryboardPhase, unread.phase),
    step: find(steps, StoryboardStep.in as z.ZodObject, unread.step),
  }).toEqual({ storyboard: [], phase: [], step: [] })
})

test('every schema that a step names can be compiled', () => {
  const files = [
    ...new Set(
      steps.flatMap(({ step }) => [step.schema_ref ?? [], step.response_schema_ref ?? []].flat()),
    ),
  ]
  expect(files.length).toBeGreaterThan(60)
  const missing = files.filter(
    file => checkSchema(installed!.schemas!, file, {}, 'adcp') === undefined,
  )
  // The package has no schemas of the test controller, and those of a webhook are its receiver’s.
  expect(missing.filter(file => !/^compliance\/|^\$test_kit/.test(file))).toEqual([])
}, 120_000)

test('every test kit of the bundle is one of a brand, or help that the registry offers or not', () => {
  const folder = join(installed!.folder, 'test-kits')
  const kits = readdirSync(folder).map(name =>
    parseTestKit(readFileSync(join(folder, name), 'utf8')),
  )
  for (const kit of kits) {
    const isBrand = kit!.auth.api_key !== undefined
    expect([kit!.id, runnerKits.has(kit!.id)]).toEqual([kit!.id, !isBrand])
    expect(isBrand).toBe(kit!.applies_to === undefined)
  }
  const named = storyboards.filter(({ prerequisites }) => prerequisites.test_kit !== undefined)
  expect(named.filter(storyboard => readKit(storyboard) === undefined)).toEqual([])
})

test('every storyboard is compared with a tenant of the reference agent', () => {
  expect(listStoryboards().filter(({ tenant }) => !referenceTenants.includes(tenant))).toEqual([])
})

test('a storyboard buys only with sandbox accounts, and in the future', () => {
  const startedAt = Date.parse('2031-05-05T12:00:00Z')
  const orders = steps.filter(({ step }) => step.task === 'create_media_buy' && !step.expect_error)
  expect(orders.length).toBeGreaterThan(30)
  for (const { storyboard, phase, step } of orders) {
    const state = createState(storyboard, {
      tools: new Set([step.task]),
      agentUrl: 'https://agent.example/mcp',
      startedAt,
      protocolName: 'proto',
      context: Object.fromEntries(
        JSON.stringify(step.sample_request)
          .match(/(?<=\$context\.)\w+/g)
          ?.map(name => [name, 'made']) ?? [],
      ),
    })
    const request = buildRequest(step, step.task, state)
    expect(request).toHaveProperty('args')
    const { account, start_time } = (request as { args: Record<string, unknown> }).args
    if (isObject(account) && account.account_id === undefined) {
      expect(account).toMatchObject({ sandbox: true })
    }
    if (!phase.optional) expect(Date.parse(String(start_time))).toBeGreaterThan(startedAt)
  }
})

test('every write has an idempotency key, unless the storyboard tests its absence', () => {
  const without = steps.filter(
    ({ step: { task, sample_request, expect_error } }) =>
      /^(create|update|sync|build|activate|acquire|log|report)_/.test(task) &&
      sample_request.idempotency_key === undefined &&
      !expect_error,
  )
  expect(without.map(({ step }) => step.id)).toEqual([])
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

const read = (written: object) => parseStoryboard(stringify(written))

test('a storyboard may name its tasks as the protocol does', () => {
  expect(read(withStep({ task: 'get_adcp_capabilities' }))).toMatchObject({
    storyboard: { phases: [{ steps: [{ task: 'get_proto_capabilities' }] }] },
  })
})

test.each([
  [
    'a check without an expectation',
    withStep({ validations: [{ check: 'field_value', path: 'a' }] }),
    'value',
  ],
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
])('a storyboard with %s is refused', (_what, written, fault) => {
  const { faults } = read(written) as { faults: string[] }
  expect(faults.join('\n')).toContain(fault)
})
