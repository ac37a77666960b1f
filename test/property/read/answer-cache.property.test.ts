import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import { toIso } from '../../../pipeline/core/clock.ts'
import { visibilities } from '../../../pipeline/core/tiers.ts'
import { Operation } from '../../../pipeline/model/submission.ts'
import { scopes } from '../../../pipeline/resolve/visibility.ts'
import { buildOperatorFile, publishFiles } from '../../support/fixtures/operator-files.ts'
import { openAnotherApi, openRegistry } from '../../support/registry/app.ts'
import { enrol } from '../../support/registry/members.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const RUNS = 8
const HOUR = 3_600_000
const ORG = 'Acme'
const publishers = ['one.example', 'two.example']
const agents = ['a', 'b', 'c'].map(name => `https://mcp.acme.example/${name}`)

const registry = openForAll(openRegistry)
const keys: (string | undefined)[] = [undefined]

beforeAll(async () => {
  keys.push(
    await enrol(registry, { org: ORG, tier: 'company_leader', domains: ['acme.example'] }),
    await enrol(registry, { org: 'Other', tier: 'company_standard' }),
  )
})

const agent = fc.constantFrom(...agents)
const publisher = fc.constantFrom(...publishers)
const label = fc.constantFrom('', 'x.', '*.')

/** A publisher's file, and the hours after which its grants end. */
const granting = fc.record({
  publisher,
  labels: fc.uniqueArray(label, { maxLength: 3 }),
  granted: fc.subarray(agents),
  closes: fc.option(fc.constantFrom(1, 3), { nil: undefined, freq: 3 }),
})
const declaring = fc.record({
  at: fc.constantFrom('acme.example', ...publishers),
  of: fc.array(fc.tuple(publisher, fc.constantFrom('owned', 'direct', 'delegated')), {
    maxLength: 2,
  }),
})
const op = <Rest extends Record<string, fc.Arbitrary<unknown>>>(name: string, rest: Rest) =>
  fc.record({ op: fc.constant(name), org: fc.constant(ORG), ...rest })
const enrolling = op('member.agent.save', {
  url: agent,
  visibility: fc.constantFrom(...visibilities),
  name: fc.constantFrom('First', 'Second'),
})
const changing = fc.oneof(
  { weight: 3, arbitrary: enrolling },
  op('member.agent.remove', { url: agent }),
  op('member.tier', { tier: fc.constantFrom('company_leader', 'individual_academic', null) }),
  op('member.update', { is_public: fc.boolean(), display_name: fc.constantFrom('Acme', 'Acme 2') }),
  op('organization.domain.remove', { domain: fc.constantFrom('acme.example', 'one.example') }),
  op('organization.domain.add', {
    domain: fc.constantFrom('acme.example', 'one.example'),
    proof: fc.constant('dns_txt'),
  }),
)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ granting }) },
  fc.record({ declaring }),
  { weight: 3, arbitrary: fc.record({ changing }) },
  fc.record({ wait: fc.constantFrom(1, 2, 49) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function take(step: Step): Promise<void> {
  if ('wait' in step) registry.clock.tick(step.wait * HOUR)
  else if ('changing' in step) await registry.submit(Operation.parse(step.changing))
  else if ('declaring' in step) {
    const { at, of } = step.declaring
    const sold = of.map(([identifier, relationship]) => ({ identifier, relationship }))
    await publishFiles(registry, { [`brand ${at}`]: buildOperatorFile(agents.slice(0, 2), sold) })
  } else await publishFiles(registry, buildFile(step.granting))
}

type Granting = typeof granting extends fc.Arbitrary<infer Value> ? Value : never

function buildFile({ publisher, labels, granted, closes }: Granting) {
  const until = closes && toIso(registry.clock.now() + closes * HOUR)
  const adagents = {
    properties: labels.map(label => ({
      property_type: 'website',
      name: `Site ${label}`,
      tags: ['all'],
      identifiers: [{ type: 'domain', value: `${label}${publisher}` }],
    })),
    authorized_agents: granted.map(url => ({
      url,
      authorized_for: `by ${publisher}`,
      authorization_type: 'property_tags',
      property_tags: ['all'],
      ...(until && { effective_until: until }),
    })),
  }
  return { [publisher]: adagents }
}

const domains = [...publishers, 'acme.example', 'sub.acme.example', 'nobody.example']
const hosts = publishers.flatMap(domain => [domain, `x.${domain}`, `y.${domain}`])
const paths = [
  ...domains.flatMap(domain => [
    `publisher?domain=${domain}`,
    `lookup/domain/${domain}`,
    ...scopes.map(scope => `operator?domain=${domain}&scope=${scope}`),
    ...agents.map(url => `publisher/authorization?domain=${domain}&agent=${url}`),
  ]),
  ...hosts.flatMap(host => [
    `lookup/property?type=domain&value=${host}`,
    ...agents.map(
      url =>
        `validate/property-authorization?agent_url=${url}&identifier_type=domain&identifier_value=${host}`,
    ),
  ]),
]

/** Collects what the stores answer; which of two processes requests the first crawl of a domain is not in them. */
async function collectAnswers(app: FastifyInstance) {
  const answers: Record<string, unknown> = {}
  for (const [who, key] of keys.entries()) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    for (const path of paths) {
      const answer = await app.inject({ url: `/api/registry/${path}`, headers })
      const { etag } = answer.headers
      const { auto_crawl_triggered: _, ...body } = answer.json()
      answers[`${who} ${path}`] = { status: answer.statusCode, etag, body }
    }
  }
  return answers
}

test('a cache never shows: after any changes an API answers like one that just started', async () => {
  const check = async (steps: Step[]) => {
    for (const step of steps) {
      await collectAnswers(registry.app)
      await take(step)
      const known = await collectAnswers(registry.app)
      const started = await openAnotherApi(registry)
      expect(known).toEqual(await collectAnswers(started.app))
      await started.close()
    }
    registry.clock.tick(HOUR)
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), check), {
    numRuns: RUNS,
    examples: [[[{ wait: 1 }]]],
  })
  expect(await registry.verify()).toEqual([])
})
