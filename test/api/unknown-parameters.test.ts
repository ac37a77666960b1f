import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toJsonSchema } from '../../api/operation/json-schema.ts'
import type { Operation } from '../../api/operation/operation.ts'
import { listParameters } from '../../api/operation/unknown-parameters.ts'
import { compileValidator } from '../../api/operation/validation.ts'
import { pages } from '../../api/pages/index.ts'
import { operations } from '../../api/routes/index.ts'
import { NIL_UUID } from '../../pipeline/core/uuid-v7.ts'
import { openRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const agent = 'https://agent.example/mcp'
const registry = openForAll(() => openRegistry({ ownRedis: true }))
let key: string

beforeAll(async () => {
  await enrol(registry, {
    org: 'Acme',
    tier: 'company_leader',
    domains: ['agent.example'],
    agents: [{ url: agent }],
  })
  key = await registry.createKey('Acme')
  await registry.publish()
})

const listNames = ({ query }: Operation) =>
  query instanceof z.ZodObject ? Object.keys(query.shape) : []

/** Chooses a value for the path: a wrong one may be reported first. */
const chooseValue = (name: string) =>
  /url/i.test(name) ? agent : /Id$/.test(name) ? NIL_UUID : 'agent.example'

async function send(operation: Operation, query: Record<string, string>) {
  const path = operation.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(chooseValue(name)))
  const { statusCode, body } = await registry.send(
    operation.method,
    `${path}?${new URLSearchParams(query)}`,
    { key },
  )
  return { statusCode, body }
}

const described = operations.filter(({ group, isFile }) => group !== undefined && !isFile)
const cases = described.map(operation => [operation.id, operation] as const)

describe('an unknown parameter is refused in words', () => {
  test.each(cases)('%s', async (_, operation) => {
    const { statusCode, body } = await send(operation, { zzzzzz: '1' })
    const { error, code } = JSON.parse(body)
    expect([statusCode, code]).toEqual([400, 'invalid_request'])
    const known = listParameters(operation)
    const help =
      known.length === 0
        ? 'This operation takes none.'
        : `Supported parameters: ${known.join(', ')}.`
    expect(error).toBe(`Unknown parameter \`zzzzzz\`. ${help}`)
  })

  test.each(cases.filter(([, operation]) => listNames(operation).length > 0))(
    '%s names what was meant',
    async (_, operation) => {
      for (const name of listNames(operation).filter(({ length }) => length > 5)) {
        const swapped = name[1]! + name[0]! + name.slice(2)
        const { statusCode, body } = await send(operation, { [swapped]: 'x' })
        expect([name, statusCode, JSON.parse(body).error]).toEqual([
          name,
          400,
          `Unknown parameter \`${swapped}\`. Did you mean \`${name}\`?`,
        ])
      }
    },
  )

  test.each([
    ['authorizePublisher', 'agent_url', 'agent'],
    ['readFeed', 'agent_url', 'agent'],
    ['readFeed', 'event_types', 'types'],
    ['streamFeed', 'event_types', 'types'],
    ['readFeed', 'publisher_domain', 'domain'],
    ['listAuthorizations', 'agent', 'agent_url'],
    ['search', 'query', 'q'],
    ['listBrands', 'q', 'search'],
  ])('of %s also by a name that it has elsewhere: %s', async (id, name, meant) => {
    const operation = described.find(known => known.id === id)
    const { body } = await send(operation!, { [name]: 'https://agent.example/mcp' })
    expect(JSON.parse(body).error).toBe(`Unknown parameter \`${name}\`. Did you mean \`${meant}\`?`)
  })

  test('however often, however long, and whatever its name is', async () => {
    const odd = ['__proto__', 'constructor', 'domain[]', 'Domain ', 'ключ', 'x'.repeat(5_000), '']
    const [brand] = described
    for (const name of odd) {
      const { statusCode, body } = await send(brand!, { domain: 'agent.example', [name]: '1' })
      expect([name, statusCode]).toEqual([name, 400])
      expect(JSON.parse(body).error).toMatch(/^Unknown parameter `.{0,101}`\. /)
      expect(body.length).toBeLessThan(400)
    }
  })
})

const bodies = described.flatMap(({ id, body }) =>
  body instanceof z.ZodObject && body.def.catchall === undefined ? [[id, body] as const] : [],
)

test.each(bodies)('a misspelled field in the body of %s is refused in words', (_, schema) => {
  const check = compileValidator({ schema, httpPart: 'body', method: 'POST', url: '/' })
  for (const name of Object.keys(schema.shape).filter(({ length }) => length > 5)) {
    const swapped = name[1]! + name[0]! + name.slice(2)
    expect(check({ [swapped]: 'x' })).toMatchObject({
      error: { message: `Unknown field \`${swapped}\`. Did you mean \`${name}\`?` },
    })
  }
})

interface Described {
  enum?: readonly string[]
  default?: unknown
}

/** Tells whether a parameter is a switch, which only the word `true` turns on. */
const isSwitch = ({ enum: values = [], default: unset }: Described) =>
  values.join() === 'true' || (values.join() === 'true,false' && unset === 'false')

const enumerated = described.flatMap(({ id, query }) => {
  if (query === undefined) return []
  const { properties } = toJsonSchema(query, 'input', {}, '#/')
  return Object.entries(properties as Record<string, Described>)
    .filter(([, schema]) => schema.enum !== undefined && !isSwitch(schema))
    .map(([name]) => [id, name, query] as const)
})

test.each(enumerated)('%s refuses an unknown value of %s', (_, name, schema) => {
  const check = compileValidator({ schema, httpPart: 'querystring', method: 'GET', url: '/' })
  const message = expect.stringContaining(name)
  expect(check({ [name]: 'zzzzzz' })).toMatchObject({ error: { message } })
})

test('what an operation describes is never unknown', async () => {
  for (const operation of described) {
    const values = Object.fromEntries(listNames(operation).map(name => [name, 'x']))
    const { body } = await send(operation, values)
    expect([operation.id, body]).toEqual([
      operation.id,
      expect.not.stringMatching(/^.{0,12}Unknown/),
    ])
  }
})

/** Parameters that published clients send, also those that change nothing here. */
const sentByClients = {
  resolveBrand: ['domain', 'fresh'],
  findBrands: ['q', 'limit'],
  listBrands: ['search', 'limit', 'offset', 'source'],
  listLogos: ['tags'],
  listProperties: ['search', 'limit', 'offset'],
  listAgents: [
    ...['type', 'health', 'capabilities', 'properties', 'compliance', 'verified'],
    ...['metric_id', 'accreditation', 'q', 'verification_mode', 'source'],
  ],
  lookUpOperator: ['domain', 'scope'],
  deleteMirror: ['force'],
  lookUpManifest: ['domain', 'type'],
  readFeed: ['cursor', 'types', 'limit'],
  streamFeed: ['cursor', 'types', 'limit', 'poll_interval_seconds'],
  searchAgents: [
    ...['type', 'sort', 'channels', 'markets', 'categories', 'property_types', 'tags'],
    ...['delivery_types', 'has_tmp', 'min_properties', 'limit', 'cursor'],
  ],
  listCatalog: [
    ...['classification', 'source', 'status', 'identifier_type', 'search'],
    ...['min_resolves', 'active_since', 'limit', 'cursor'],
  ],
  listPolicies: [
    ...['search', 'category', 'enforcement', 'jurisdiction', 'policy_category'],
    ...['vertical', 'domain', 'limit', 'offset'],
  ],
}

test.each(Object.entries(sentByClients))('%s takes what clients send', (id, names) => {
  const operation = operations.find(known => known.id === id)
  expect(operation && listNames(operation)).toEqual(expect.arrayContaining(names))
})

test('pages and files take what others add to their addresses', async () => {
  const open = pages.filter(({ path, method }) => method === 'GET' && !/[:*]|stream/.test(path))
  for (const { path } of open) {
    const { statusCode } = await registry.app.inject(`${path}?utm_source=mail`)
    const plain = await registry.app.inject(path)
    expect([path, statusCode]).toEqual([path, plain.statusCode])
  }
  const claimed = '/publisher/agent.example/.well-known/adagents.json'
  const { statusCode } = await registry.app.inject(`${claimed}?adcp_claim=x`)
  expect(statusCode).toBe((await registry.app.inject(claimed)).statusCode)
})
