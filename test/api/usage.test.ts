import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE, toIso } from '../../pipeline/core/clock.ts'
import { limitMeanings } from '../../pipeline/core/limits.ts'
import type { OrganizationUsage } from '../../pipeline/model/responses/organization-usage.ts'
import { startRedis } from '../support/processes/redis.ts'
import { answerAllPublic, type TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { openIssuer, openWithIssuer } from '../support/servers/issuer.ts'

const issuer = openForAll(openIssuer)
const redis = openForAll(startRedis)
let registry: TestRegistry
let acme: string

beforeEach(async () => {
  registry = await openWithIssuer(issuer, { redis: redis.redis })
  acme = await enrol(registry, {
    org: 'Acme',
    tier: 'company_standard',
    domains: ['acme.example'],
    agents: [{ url: 'https://sales.acme.example/mcp' }],
  })
})
afterEach(async () => {
  await registry.close()
  await redis.redis.flushall()
})

async function ask(bearer: string, method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${bearer}` }
  return registry.app.inject({ method, url, headers, ...(payload && { payload }) })
}

async function read(bearer = acme): Promise<OrganizationUsage> {
  const answer = await ask(bearer, 'GET', '/api/me/organization/usage')
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

async function readUse(name: string, bearer = acme) {
  return (await read(bearer)).limits.find(limit => limit.name === name)
}

const save = (bearer = acme) =>
  ask(bearer, 'POST', '/api/brands/save', { domain: 'acme.example', brand_name: 'Acme' })

describe('the usage of an organization', () => {
  test('names its tier and every limit, with nothing used at first', async () => {
    const { organization, is_complete, limits } = await read()
    expect(organization).toMatchObject({ name: 'Acme', membership_tier: 'company_standard' })
    expect([organization.has_api_access, is_complete]).toEqual([true, true])
    expect(limits.map(({ name, max, used, remaining }) => [name, max, used, remaining])).toEqual([
      ['saves_per_hour', 60, 0, 60],
      ['saves_per_organization_hour', 60, 0, 60],
      ['saves_per_organization_day', 200, 0, 200],
      ['crawl_requests_per_hour', 30, 0, 30],
      ['storyboard_runs_per_hour', 10, 0, 10],
      ['storyboard_steps_per_hour', 60, 0, 60],
      ['receiver_questions_per_hour', 60, 0, 60],
      ['subscriptions', 20, 0, 20],
      ['pending_invitations', 50, 0, 50],
      ['agents', null, 1, null],
      ['api_keys', null, 1, null],
      ['people', null, 0, null],
    ])
    expect(limits[0]!.text).toBe(limitMeanings.savesPerHour)
    expect(new Set(limits.map(({ resets_at }) => resets_at))).toEqual(new Set([null]))
  })

  test('counts saves as their limit does, until the oldest leaves the window', async () => {
    const first = registry.clock.now()
    expect((await save()).headers['ratelimit-remaining']).toBe('59')
    registry.clock.tick(MINUTE)
    expect((await save()).headers['ratelimit-remaining']).toBe('58')
    expect(await readUse('saves_per_hour')).toMatchObject({
      used: 2,
      remaining: 58,
      resets_at: toIso(first + 60 * MINUTE),
    })
    expect(await readUse('saves_per_organization_day')).toMatchObject({ used: 2, remaining: 198 })
    registry.clock.tick(59 * MINUTE)
    expect(await readUse('saves_per_hour')).toMatchObject({ used: 1, remaining: 59 })
    expect(await readUse('saves_per_organization_day')).toMatchObject({ used: 2 })
  })

  test('counts saves of another key for the organization, not for the caller', async () => {
    await save()
    const other = await registry.createKey('Acme')
    expect(await readUse('saves_per_hour', other)).toMatchObject({ used: 0 })
    expect(await readUse('saves_per_organization_hour', other)).toMatchObject({ used: 1 })
    expect(await readUse('api_keys', other)).toMatchObject({ used: 2 })
  })

  test('counts crawl requests, and says when the window ends', async () => {
    await registry.close()
    const writer = { requestLive: answerAllPublic }
    registry = await openWithIssuer(issuer, { redis: redis.redis, writer })
    acme = await enrol(registry, { org: 'Acme' })
    const answer = await ask(acme, 'POST', '/api/registry/crawl-request', {
      domain: 'acme.example',
    })
    expect(answer.headers['ratelimit-remaining'], answer.body).toBe('29')
    const use = await readUse('crawl_requests_per_hour')
    expect(use).toMatchObject({ counted_for: 'caller', max: 30, used: 1, remaining: 29 })
    const seconds = (Date.parse(use!.resets_at!) - registry.clock.now()) / 1_000
    expect(seconds).toBeGreaterThan(3_590)
    expect(seconds).toBeLessThanOrEqual(3_601)
  })

  test('is not increased by reading it', async () => {
    await save()
    const before = await redis.redis.keys('*')
    const counts = await Promise.all(Array.from({ length: 20 }, () => readUse('saves_per_hour')))
    expect(new Set(counts.map(use => use?.used))).toEqual(new Set([1]))
    expect(await redis.redis.keys('*')).toEqual(before)
    expect((await save()).headers['ratelimit-remaining']).toBe('58')
  })

  test('never shows a negative remainder, even if a limit was lowered', async () => {
    await registry.close()
    registry = await openWithIssuer(issuer, { redis: redis.redis, limits: { savesPerHour: 1 } })
    const key = await enrol(registry, { org: 'Acme', domains: ['acme.example'] })
    for (let i = 0; i < 3; i++) await save(key)
    expect(await readUse('saves_per_hour', key)).toMatchObject({ max: 1, used: 1, remaining: 0 })
    expect(await readUse('subscriptions', key)).toMatchObject({ used: 0 })
  })

  test('is read by viewers too, each with their own part of it', async () => {
    const grant = { op: 'membership.set', org: 'Acme', user_id: 'vic', role: 'viewer' } as const
    await registry.submit(grant)
    await save()
    const vic = await issuer.token({ sub: 'vic' })
    expect(await readUse('saves_per_hour', vic)).toMatchObject({ used: 0 })
    expect(await readUse('saves_per_organization_hour', vic)).toMatchObject({ used: 1 })
    expect(await readUse('people', vic)).toMatchObject({ used: 1 })
  })

  test('has no limit of storyboards for admins of the registry', async () => {
    await registry.submit(
      { op: 'membership.set', org: 'Acme', user_id: 'ada', role: 'member' },
      { op: 'role.grant', holder: 'user', id: 'ada', role: 'admin' },
    )
    const ada = await issuer.token({ sub: 'ada' })
    expect(await readUse('storyboard_runs_per_hour', ada)).toMatchObject({ max: null, used: null })
  })
})

test('while Redis is away the numbers that it holds are unknown, and the others are shown', async () => {
  await registry.close()
  const own = await startRedis()
  registry = await openWithIssuer(issuer, { redis: own.redis })
  acme = await enrol(registry, { org: 'Acme' })
  await own.stop()
  const { is_complete, limits } = await read()
  expect(is_complete).toBe(false)
  for (const { window_seconds, used, remaining, max } of limits) {
    expect(used === null).toBe(window_seconds !== null)
    if (window_seconds !== null) expect([max !== null, remaining]).toEqual([true, null])
  }
  await own.close()
})
