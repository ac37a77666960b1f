import { expect, test } from 'vitest'
import type { StepResult } from '../../../pipeline/model/storyboards/storyboard-result.ts'
import { findStoryboard } from '../../../pipeline/storyboards/catalog.ts'
import { buildGuidance } from '../../../pipeline/storyboards/guidance.ts'
import { buildJunit, buildSarif } from '../../../scripts/commands/test-reports.ts'

const storyboard = findStoryboard('schema_validation')!
const step = storyboard.phases[0]!.steps[0]!
const wrong = {
  check: 'response_schema',
  passed: false,
  description: 'The answer matches its schema',
  path: 'products[0].name',
  expected: 'must be string',
  actual: 1,
}
const base = { step: step.id, task: 'get_products', duration_ms: 5 }
const failed: StepResult = {
  ...base,
  passed: false,
  validations: [wrong],
  guidance: buildGuidance(step, wrong, storyboard),
}
const passed: StepResult = { ...base, step: 'other', passed: true, validations: [] }
const tested = [
  { id: storyboard.id, status: 'partial' as const, seconds: 1, steps: [failed, passed] },
]

test('a failed step says which rule it broke, where the protocol says so, and what to change', () => {
  expect(failed.guidance).toMatchObject({
    rule: `schema_validation/${step.id}#response_schema`,
    sentence: 'The answer matches its schema',
    reference_url: expect.stringMatching(/^https:\/\/[a-z.]+\/schemas\/3\.0\.\d+\/.*\.json$/),
    fix: 'Change products[0].name: it must be string.',
  })
  const { reference_url } = buildGuidance(step, undefined, storyboard)
  expect(reference_url).toMatch(/\/docs\//)
})

test('what is expected keeps the lines of its lists', () => {
  const expected = 'Return a page with:\n- has_more\n- a cursor\n'
  const guidance = buildGuidance({ ...step, expected }, wrong, storyboard)
  expect(guidance.expected).toBe(expected.trim())
})

test('where an agent refuses the caller, a credential may be what is missing', () => {
  const refused = { ...wrong, check: 'success', expected: 'success' }
  const fix = (actual: string) => buildGuidance(step, { ...refused, actual }, storyboard).fix
  expect(fix('the task was refused with UNAUTHORIZED')).toMatch(/^Save a credential/)
  expect(fix('the task was refused with CONFLICT')).toBe('Accept this request: it is valid.')
})

test('what is to be sent is told in words, also where several values will do', () => {
  const fix = (check: string, expected: unknown) =>
    buildGuidance(step, { ...wrong, check, expected }, storyboard).fix
  expect(fix('http_status_in', [401, 403])).toBe('Return the status 401 or 403.')
  expect(fix('error_code', ['NOT_FOUND', 'CONFLICT'])).toMatch(/ code NOT_FOUND or CONFLICT\.$/)
  expect(fix('field_value', { id: 1 })).toBe('Return products[0].name: {"id":1}.')
  expect(fix('any_of', 'auth_mechanism_verified')).toMatch(/one of the phases/)
})

test('a report in SARIF has a rule and a result for each failed step', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of another format
  const { runs } = buildSarif('https://agent.example:8443/mcp', tested) as { runs: any[] }
  const [{ tool, results }] = runs
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({
    ruleId: failed.guidance!.rule,
    level: 'error',
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'agent.example%3A8443/mcp' },
          region: { startLine: 1 },
        },
      },
    ],
  })
  expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([failed.guidance!.rule])
})

test('a report in JUnit has a case for each step', () => {
  const report = buildJunit(tested)
  expect(report.match(/<testcase /g)).toHaveLength(2)
  expect(report.match(/<failure [^>]*>Change products/g)).toHaveLength(1)
  expect(report).toContain('tests="2" failures="1" skipped="0"')
})
