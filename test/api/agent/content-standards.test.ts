import { describe, expect, test } from 'vitest'
import { openForAll } from '../../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../../support/servers/reference-agent.ts'
import { testClock } from '../../support/worlds/clock.ts'

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const scope = { languages_any: ['en'], channels_any: ['display'], description: 'Lamps' }
const rule = (policy_id: string, enforcement: string, policy: string, more: object = {}) => ({
  policy_id,
  enforcement,
  policy,
  ...more,
})
const text = (content: string, artifact_id = 'page') => ({
  property_rid: 'news.example',
  artifact_id,
  assets: [{ type: 'text', content }],
})

const agent = openForAll(() => startReferenceAgent(testClock('2026-11-20T00:00Z')))
let keys = 0

const keyed = (args: object) => ({ idempotency_key: `key-of-standards-${++keys}`, ...args })
const create = async (...policies: object[]): Promise<string> => {
  const request = keyed({ account, scope, policies })
  return (await agent.succeed('governance', 'create_content_standards', request)).standards_id
}
const judge = (standards_id: string, artifact: object) =>
  agent.succeed('governance', 'calibrate_content', keyed({ standards_id, artifact }))

describe('content standards', () => {
  test('are created, read, changed and listed by what they are for', async () => {
    const mine = { brand: { domain: 'mine.example' }, operator: 'agency.example' }
    const policies = [rule('no_gambling', 'must', 'No gambling')]
    const request = keyed({ account: mine, scope, policies })
    const { standards_id } = await agent.succeed('governance', 'create_content_standards', request)
    const read = () => agent.succeed('governance', 'get_content_standards', { standards_id })
    expect(await read()).toMatchObject({ name: 'Lamps', languages_any: ['en'], policies })
    const change = { standards_id, scope: { channels_any: ['olv'] } }
    expect(
      await agent.succeed('governance', 'update_content_standards', keyed(change)),
    ).toMatchObject({ success: true, standards_id })
    expect(await read()).toMatchObject({ languages_any: ['en'], channels_any: ['olv'], policies })
    const find = async (filter: object) => {
      const asked = { account: mine, ...filter }
      return (await agent.succeed('governance', 'list_content_standards', asked)).standards.length
    }
    expect(await find({})).toBe(1)
    expect(await find({ channels: ['olv', 'ctv'], languages: ['en'] })).toBe(1)
    expect(await find({ channels: ['display'] })).toBe(0)
    expect(await find({ languages: ['fr'] })).toBe(0)
    expect(await find({ countries: ['US'] })).toBe(1)
  })

  test('that are unknown, or of another account, are not found', async () => {
    const standards_id = await create(rule('a', 'must', 'No gambling'))
    const other = { brand: { domain: 'other.example' }, operator: 'agency.example' }
    const missing = { code: 'REFERENCE_NOT_FOUND', field: 'standards_id' }
    for (const request of [{ standards_id: 'none' }, { standards_id, account: other }]) {
      expect(await agent.fail('governance', 'get_content_standards', request)).toEqual(missing)
    }
  })

  test('take no rules of a registry, which they could not judge by', async () => {
    const policies = [rule('a', 'must', 'No gambling')]
    const request = keyed({ scope, policies, registry_policy_ids: ['us_coppa'] })
    expect(await agent.fail('governance', 'create_content_standards', request)).toEqual({
      code: 'UNSUPPORTED_FEATURE',
      field: 'registry_policy_ids',
    })
  })
})

describe('content', () => {
  test('that mentions what a rule forbids fails if the rule must be kept, and is warned of otherwise', async () => {
    const standards_id = await create(
      rule('no_gambling', 'must', 'Family-friendly content only. No alcohol or gambling content.'),
      rule('no_politics', 'should', 'Avoid political material'),
    )
    const { verdict, features, explanation } = await judge(
      standards_id,
      text('Our guide to gambles on political outcomes'),
    )
    expect(verdict).toBe('fail')
    expect(explanation).toBe('no_gambling: It mentions gambling')
    expect(features).toMatchObject([
      { policy_id: 'no_gambling', status: 'failed', explanation: 'It mentions gambling' },
      { policy_id: 'no_politics', status: 'warning', explanation: 'It mentions political' },
    ])
    const fine = await judge(standards_id, text('Content about lamps'))
    expect(fine).toMatchObject({
      verdict: 'pass',
      features: [{ status: 'passed' }, { status: 'passed' }],
    })
  })

  test('is judged by the rules as they are now', async () => {
    const standards_id = await create(rule('no_gambling', 'must', 'No gambling'))
    const artifact = text('A stock photo')
    expect((await judge(standards_id, artifact)).verdict).toBe('pass')
    const policies = [rule('no_stock', 'must', 'No stock photography')]
    await agent.succeed('governance', 'update_content_standards', keyed({ standards_id, policies }))
    expect((await judge(standards_id, artifact)).verdict).toBe('fail')
  })

  test('needs an alternative text for each image where a rule wants it', async () => {
    const standards_id = await create(rule('alt', 'must', 'All images must have alt text'))
    const image = { type: 'image', url: 'https://cdn.example/a.png' }
    const show = (...assets: object[]) => judge(standards_id, { ...text(''), assets })
    expect(await show(image, { ...image, alt_text: 'A lamp' })).toMatchObject({
      verdict: 'fail',
      features: [{ explanation: '1 of its images have no alternative text' }],
    })
    expect((await show({ ...image, alt_text: 'A lamp' })).verdict).toBe('pass')
  })

  test('is not judged by a rule that words do not tell', async () => {
    const standards_id = await create(rule('dpi', 'must', 'Minimum 72 DPI'))
    expect(await judge(standards_id, text('Anything'))).toMatchObject({
      verdict: 'pass',
      features: [{ policy_id: 'dpi', status: 'unevaluated' }],
    })
  })

  test('that is an example has the verdict of the example', async () => {
    const policies = [rule('no_gambling', 'must', 'No gambling')]
    const calibration_exemplars = {
      pass: [text('A history of gambling', 'history')],
      fail: [{ type: 'url', value: 'https://news.example/odds' }],
    }
    const request = keyed({ scope, policies, calibration_exemplars })
    const { standards_id } = await agent.succeed('governance', 'create_content_standards', request)
    expect((await judge(standards_id, text('A history of gambling', 'history'))).verdict).toBe(
      'pass',
    )
    const odds = { ...text('Odds'), url: 'https://news.example/odds' }
    expect((await judge(standards_id, odds)).verdict).toBe('fail')
    const shown = await agent.succeed('governance', 'get_content_standards', { standards_id })
    expect(shown.calibration_exemplars).toMatchObject({
      pass: [{ artifact_id: 'history' }],
      fail: [],
    })
  })

  test('that was delivered is judged record by record', async () => {
    const standards_id = await create(
      rule('no_gambling', 'must', 'No gambling', { channels: ['display'] }),
      rule('no_politics', 'must', 'No politics'),
    )
    const records = [
      { record_id: 'bad', artifact: text('gambling'), channel: 'display' },
      { record_id: 'elsewhere', artifact: text('gambling'), channel: 'ctv' },
      { record_id: 'worse', artifact: text('politics') },
    ]
    const check = (more: object = {}) =>
      agent.succeed('governance', 'validate_content_delivery', { standards_id, records, ...more })
    const { summary, results } = await check()
    expect(summary).toEqual({ total_records: 3, passed_records: 1, failed_records: 2 })
    expect(results.map(({ record_id, verdict }: Payload) => [record_id, verdict])).toEqual([
      ['bad', 'fail'],
      ['elsewhere', 'pass'],
      ['worse', 'fail'],
    ])
    expect((await check({ include_passed: false })).results).toHaveLength(2)
    const narrowed = await check({ feature_ids: ['no_politics'] })
    expect(narrowed.summary.failed_records).toBe(1)
  })
})
