import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Json, KNOWN_VALUES, toReference } from '../../api/operation/json-schema.ts'
import { groups, groupTexts } from '../../api/operation/operation.ts'
import { operations } from '../../api/routes/index.ts'
import { publicErrors } from '../../pipeline/core/errors.ts'
import { pushTypes } from '../../pipeline/core/push-types.ts'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { ErrorBody } from '../../pipeline/model/responses/index.ts'
import { observePublisherFile } from '../support/fixtures/documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'

const addFormats = formats as unknown as typeof formats.default

const registry = openForAll(openRegistry)

async function fetchDescription() {
  return parse((await registry.app.inject('/openapi/registry.yaml')).body)
}

describe.each(['/openapi/registry.yaml', '/.well-known/openapi.yaml'])('GET %s', url => {
  test('200: the description, with its references resolved', async () => {
    const answer = await registry.app.inject(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8')
    expect(parse(answer.body)).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: 'https://registry.example' }],
      tags: groups.map(name => ({ name, description: groupTexts[name] })),
    })
  })
})

test('GET /openapi.json 200: the same description in JSON', async () => {
  const answer = await registry.app.inject('/openapi.json')
  expect(answer.headers['content-type']).toBe('application/vnd.oai.openapi+json; charset=utf-8')
  expect(answer.json()).toEqual(await fetchDescription())
})

test('documents of JSON are objects', async () => {
  const { paths } = await fetchDescription()
  const documents = [
    '/openapi.json',
    '/.well-known/api-catalog',
    '/.well-known/http-message-signatures-directory',
    '/schemas/v3/{file}',
  ].map(path => Object.values(paths[path].get.responses['200'].content)[0])
  expect(documents).toEqual(documents.map(() => ({ schema: { type: 'object' } })))
})

const security = { public: [], bearer: [{ bearer: [] }], optional: [{}, { bearer: [] }] }

test('every operation is described, with its parameters and errors', async () => {
  const { paths } = await fetchDescription()
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const described = paths[path][operation.method.toLowerCase()]
    expect(described.operationId).toBe(operation.id)
    const statuses = Object.keys(operation.reply)
    const refusals = operation.errors.map(name => String(publicErrors[name].status))
    expect(Object.keys(described.responses)).toEqual(
      expect.arrayContaining([...statuses, ...refusals, '500']),
    )
    expect(described.security).toEqual(
      operation.isForPeople ? [{ userToken: [] }] : security[operation.access],
    )
  }
  expect(Object.keys(paths)).toHaveLength(new Set(operations.map(({ path }) => path)).size)
  expect(paths['/api/registry/lookup/domain/{domain}'].get.parameters).toMatchObject([
    { name: 'domain', in: 'path', required: true },
    { $ref: '#/components/parameters/If-None-Match' },
  ])
  expect(paths['/api/registry/feed'].get.parameters).toMatchObject([
    { name: 'cursor', in: 'query' },
    { name: 'since', in: 'query' },
    { name: 'types', in: 'query' },
    { name: 'domain', in: 'query' },
    { name: 'agent', in: 'query' },
    {
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 },
    },
    { name: 'wait', schema: { type: 'integer', minimum: 0, maximum: 60, default: 0 } },
  ])
})

test('headers are described where they are sent or read, and a 304 where there is an ETag', async () => {
  const { paths, components } = await fetchDescription()
  const { parameters, responses } = paths['/api/registry/catalog'].get
  const cursor = { $ref: '#/components/headers/X-Sync-Cursor' }
  expect(responses[200].headers).toMatchObject({ 'X-Sync-Cursor': cursor })
  expect(responses[304].headers).toEqual(responses[200].headers)
  expect(responses[304]).not.toHaveProperty('content')
  expect(parameters).toContainEqual({ $ref: '#/components/parameters/If-None-Match' })
  const save = paths['/api/brands/save'].post
  expect(save.parameters).toContainEqual({ $ref: '#/components/parameters/Idempotency-Key' })
  expect(save.responses).not.toHaveProperty('304')
  for (const [name, { in: place }] of Object.entries<{ in: string }>(components.parameters))
    expect([name, place]).toEqual([name, 'header'])
})

test('each refusal that says when to try again describes its Retry-After', async () => {
  const { paths } = await fetchDescription()
  const { responses } = paths['/api/registry/lookup/property'].get
  const header = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
  expect(responses[503].headers).toEqual(header)
  expect(responses[400]).not.toHaveProperty('headers')
  const { responses: probing } = paths['/api/public/discover-agent'].get
  for (const status of [502, 503, 504]) expect(probing[status].headers).toEqual(header)
})

test('what creates something accepts an Idempotency-Key, unless what it names can exist only once', async () => {
  const { paths } = await fetchDescription()
  type Methods = { post?: { responses: object; parameters?: { $ref?: string }[] } }
  const creating = Object.entries<Methods>(paths).flatMap(([path, { post }]) =>
    post && '201' in post.responses ? [[path, post] as const] : [],
  )
  const key = { $ref: '#/components/parameters/Idempotency-Key' }
  const without = creating.filter(
    ([, { parameters = [] }]) => !parameters.some(({ $ref }) => $ref === key.$ref),
  )
  expect(without.map(([path]) => path).toSorted()).toEqual([
    '/api/me/agents',
    '/api/me/organization/profile',
    '/api/me/watches',
    '/api/organizations',
  ])
})

test('a body of several media types is described in each', async () => {
  const { paths } = await fetchDescription()
  const { content } = paths['/api/registry/validate/authorizations'].post.requestBody
  expect(Object.keys(content)).toEqual(['application/json', 'text/csv'])
  expect(content['text/csv']).toEqual({ schema: { type: 'string' } })
})

test('a line of the bulk check has a schema with a name, for generated clients', async () => {
  const { paths, components } = await fetchDescription()
  const { content } = paths['/api/registry/validate/authorizations'].post.responses[200]
  const $ref = '#/components/schemas/AuthorizationLine'
  expect(content['application/x-ndjson']['x-item-schema']).toEqual({ $ref })
  expect(components.schemas.AuthorizationLine.properties).toMatchObject({
    line: { type: 'integer' },
    authorized: { type: 'boolean' },
  })
})

/** Fault of a schema that only the lines of a stream have: the linter does not follow `x-item-schema`. */
const ONLY_OF_LINES = 'no-unused-components: Component: "AuthorizationLine" is never used.'

test('a public linter only reports operations that have no client errors', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = (await registry.app.inject('/openapi/registry.yaml')).body
  const problems = await lintFromString({ source, config })
  const others = problems.filter(({ ruleId }) => ruleId !== 'operation-4xx-response')
  expect(others.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([ONLY_OF_LINES])
})

test('every reference names a component', async () => {
  const text = JSON.stringify(await fetchDescription())
  const { components } = JSON.parse(text)
  const named = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(
    ([, kind, name]) => [kind!, name!] as const,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(([kind, name]) => !(name in components[kind]))).toEqual([])
  expect(text).not.toContain('$defs')
})

test('a model that many answers have is converted once for a description', () => {
  const refer = (components: object) => toReference(ErrorBody, 'output', components as never)
  const components = {}
  expect(refer(components)).toBe(refer(components))
  expect(Object.keys(components)).not.toEqual([])
  const others = {}
  refer(others)
  expect(others).toEqual(components)
})

test('events are described by type, and the feed sends what is described', async () => {
  const { components, paths } = await fetchDescription()
  const { anyOf } = components.schemas.FeedEvent
  const names = anyOf.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1))
  expect(names).toHaveLength(eventTypeNames.length + 1)
  expect(names.pop()).toBe('Event_other')
  for (const name of names) {
    const { description: said, properties } = components.schemas[name]
    expect(said).toContain(properties.event_type.const)
    for (const member of Object.values(properties)) expect(member).toHaveProperty('description')
  }
  await registry.observe(
    observePublisherFile('told.example', {
      sites: ['told.example'],
      agents: ['https://a.example/mcp'],
    }),
  )
  const key = await registry.createKey('Readers')
  const answer = await registry.send('GET', '/api/registry/feed', { key })
  expect(answer.json().events.length).toBeGreaterThan(3)
  const ajv = new Ajv({ strict: false })
  addFormats(ajv)
  const { schema } = paths['/api/registry/feed'].get.responses['200'].content['application/json']
  const isDescribed = ajv.compile({ ...schema, components })
  expect(isDescribed(answer.json()), JSON.stringify(isDescribed.errors)).toBe(true)
  const [event] = answer.json().events
  const broken = { ...answer.json(), events: [{ ...event, payload: {} }] }
  expect(isDescribed(broken)).toBe(false)
  const later = { ...event, event_type: 'agent.renamed', payload: { was: 'https://a.example' } }
  expect(isDescribed({ ...answer.json(), events: [event, later] })).toBe(true)
})

/** Lists where a schema has a list of values that excludes others, with the components that it refers to. */
function* listClosed(
  node: unknown,
  place: string,
  schemas: Record<string, unknown>,
  visited: Set<string>,
): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  const { $ref, enum: values, not: _, examples: __, example: ___, ...rest } = node as Json
  if (values !== undefined) yield place
  const name = String($ref).split('/').at(-1)!
  if (!visited.has(name) && name in schemas) {
    visited.add(name)
    yield* listClosed(schemas[name], name, schemas, visited)
  }
  for (const [key, part] of Object.entries(rest))
    yield* listClosed(part, `${place}.${key}`, schemas, visited)
}

test('lists of values in answers are open, since later versions may add to them', async () => {
  const { components, paths, webhooks } = await fetchDescription()
  const answers = Object.values<Record<string, Json>>(paths).flatMap(methods =>
    Object.values(methods).map(({ operationId, responses }) => [operationId, responses]),
  )
  const posts = Object.entries<{ post: Json }>(webhooks).map(([name, { post }]) => [
    name,
    post.requestBody,
  ])
  const visited = new Set<string>()
  const closed = [...answers, ...posts].flatMap(([name, node]) => [
    ...listClosed(node, String(name), components.schemas, visited),
  ])
  expect(closed).toEqual([])
  expect(visited.size).toBeGreaterThan(100)
  expect(components.schemas.Error.properties.code).toMatchObject({
    type: 'string',
    [KNOWN_VALUES]: expect.arrayContaining(['not_found']),
  })
  const parameters = Object.values<{ get?: Json }>(paths).flatMap(
    ({ get }) => get?.parameters ?? [],
  )
  expect(JSON.stringify(parameters)).toContain('"enum":["authorized","revoked"]')
})

test('the posts to receivers are described as webhooks, with their schemas', async () => {
  const { webhooks, components } = await fetchDescription()
  expect(Object.keys(webhooks)).toEqual(Object.values(pushTypes))
  const { requestBody } = webhooks[pushTypes.events].post
  expect(requestBody.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/EventDelivery',
  })
  expect(components.schemas.EventDelivery.properties.result.properties.events.items).toEqual({
    $ref: '#/components/schemas/FeedEvent',
  })
})

test('AsyncAPI describes the stream, the posts and every type of event, and a linter finds nothing', async () => {
  const source = (await registry.app.inject('/asyncapi/registry.yaml')).body
  const { components, channels } = parse(source)
  expect(channels.stream.address).toBe('/api/registry/feed/stream')
  for (const name of eventTypeNames) {
    const { payload } = components.messages[name.replace('.', '_')]
    expect(components.schemas).toHaveProperty(payload.$ref.split('/').at(-1))
  }
  const config = await createConfig({ extends: ['spec'] })
  const problems = await lintFromString({ source, config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})
