import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { observeBrandFile } from '../support/fixtures/documents.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { buildAgentHost, type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'

const ADAGENTS = '/.well-known/adagents.json'
const BRAND = '/.well-known/brand.json'
/** The defaults: half of it may be asked at once, and then two a second. */
const rates = { siteRequestsPerMinute: 120, addressRequestsPerMinute: 3_000 }

let web: LiveWeb
let registry: TestRegistry

/** Builds a valid file that lists ten agents of one victim, each with a name of its own. */
const listing = (publisher: string, site: string) => ({
  authorized_agents: Array.from({ length: 10 }, (_, i) => ({
    url: `https://${publisher.split('.')[0]}-${i}.${site}/mcp`,
    authorized_for: 'display',
    authorization_type: 'property_tags',
    property_tags: ['all'],
  })),
  properties: [
    {
      property_type: 'website',
      name: 'Site',
      tags: ['all'],
      identifiers: [{ type: 'domain', value: publisher }],
    },
  ],
})

const publishers = Array.from({ length: 20 }, (_, i) => `pub${i}.example`)

beforeAll(async () => {
  const files = publishers.map(name => [name, { [ADAGENTS]: listing(name, 'victim.example') }])
  web = await openLiveWeb(
    {
      ...Object.fromEntries(files),
      'acme.example': {
        [BRAND]: { id: 'acme', names: [{ en: 'Acme' }], properties: [] },
        [ADAGENTS]: listing('acme.example', 'honest.example'),
        '/mcp': buildAgentHost({ get_products: { products: [] } }),
      },
      ...Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [
          `acme-${i}.honest.example`,
          { '/mcp': buildAgentHost({}) },
        ]),
      ),
    },
    { validateMs: 3_000, liveBrandMs: 2_000, agentAskMs: 2_000, ...rates },
  )
  registry = await web.open({
    validateMs: 3_000,
    liveBrandMs: 2_000,
    agentAskMs: 2_000,
    answerKeptSeconds: 10,
    answerKeptAtBoundSeconds: 300,
  })
})
afterAll(() => web.close())
beforeEach(() => web.forget())

const validate = (domain: string, remoteAddress = '203.0.113.7') =>
  registry.send('POST', '/api/adagents/validate', { payload: { domain }, remoteAddress })
const fresh = (domain: string, remoteAddress = '203.0.113.7') =>
  registry.app.inject({ url: `/api/brands/resolve?domain=${domain}&fresh=true`, remoteAddress })
const askedAt = (site: string) =>
  web.origin.asked.filter(request => request.split('/')[0]!.endsWith(site)).length

/** Runs work while many callers request more of a site than it may be sent. */
async function runInCrowd<Result>(
  site: string,
  work: () => Promise<Result>,
  ask: (domain: string, from: string) => Promise<unknown> = fresh,
): Promise<Result> {
  const crowd = Array.from({ length: 150 }, (_, i) => ask(`n${i}.${site}`, `198.51.100.${i}`))
  await vi.waitFor(() => expect(askedAt(site)).toBeGreaterThanOrEqual(60), 5_000)
  // These wait as long as the work does: when the crowd gives up, the next turns are theirs.
  const late = Array.from({ length: 20 }, (_, i) => ask(`late${i}.${site}`, `192.0.2.${i}`))
  const result = await work()
  await Promise.all([...crowd, ...late])
  return result
}

describe('requests to one site are bounded, however many domains lead there', () => {
  test.each([
    ['by one caller', () => '203.0.113.7'],
    ['by twenty callers', (i: number) => `203.0.113.${i}`],
  ])('20 validations of ten agents each, %s, and each of them is answered', async (_, from) => {
    const answers = await Promise.all(publishers.map((name, i) => validate(name, from(i))))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200))
    // Half a minute's worth at once, and two a second in three seconds.
    expect(askedAt('.victim.example')).toBeLessThanOrEqual(60 + 3 * 2 + 10)
    for (const answer of answers) {
      const { validation, agent_cards = [], agents_unchecked = 0 } = answer.json().data
      expect(validation.valid).toBe(true)
      expect(agent_cards.length + agents_unchecked).toBe(10)
    }
    await new Promise(resolve => setTimeout(resolve, 500))
  })

  it('a validation of ten agents at one provider asks all of them', async () => {
    const { data } = (await validate('acme.example')).json()
    expect(data.agent_cards).toHaveLength(10)
    expect(data.agent_cards.every(({ valid }: { valid: boolean }) => valid)).toBe(true)
    expect(data.agents_unchecked).toBeUndefined()
  })
})

describe('a request about a site at its limit is not refused with 429', () => {
  it('stored answers serve fresh=true and say so', async () => {
    await registry.observe(observeBrandFile('www.crowded.example', 'Stored'))
    const answer = await runInCrowd('crowded.example', () => fresh('www.crowded.example'))
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      { brand_name: 'Stored', live_brand_json: { valid: false, errors: [{ code: 'unasked' }] } },
    ])
    expect(web.origin.asked).not.toContain(`www.crowded.example${BRAND}`)
    expect(askedAt('crowded.example')).toBeLessThanOrEqual(80)
  })

  it('recent answers are sent again with their age', async () => {
    web.hosts['www.seen.example'] = {
      [BRAND]: { id: 'seen', names: [{ en: 'Seen' }], properties: [] },
    }
    expect((await fresh('www.seen.example')).statusCode).toBe(200)
    registry.clock.tick(120_000)
    const answer = await runInCrowd('seen.example', () => fresh('www.seen.example'))
    expect([answer.statusCode, answer.json().brand_name, answer.headers.age]).toEqual([
      200,
      'Seen',
      '120',
    ])
  })

  it('without any answer so far: 503 with Retry-After, and no request', async () => {
    const answer = await runInCrowd(
      'unknown.example',
      () => validate('www.unknown.example'),
      validate,
    )
    expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([503, true])
    expect(askedAt('unknown.example')).toBeLessThanOrEqual(80)
  })

  it('a later request waits for its turn', async () => {
    await Promise.all(
      Array.from({ length: 62 }, (_, i) => fresh(`n${i}.busy.example`, `198.51.100.${i}`)),
    )
    const started = performance.now()
    expect((await validate('www.busy.example')).statusCode).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(200)
  })

  it('a hundred requests about a hundred sites by one caller are all answered', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `many${i}.example`)
    const answers = await Promise.all(names.map(name => validate(name)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  })
})
