import { beforeEach, describe, expect, it, test } from 'vitest'
import { openWriterClient } from '../../jobs/api-client/writer-client.ts'
import { silentLog } from '../../pipeline/core/log.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildAgentHost, openLiveWeb } from '../support/servers/live-web.ts'

const FILE = '/.well-known/adagents.json'
const CAP = 256 * 1024

const property = (domain: string, more = {}) => ({
  property_type: 'website',
  name: domain,
  tags: ['all'],
  identifiers: [{ type: 'domain', value: domain }],
  ...more,
})
const entry = (url: string, more = {}) => ({
  url,
  authorized_for: 'everything',
  authorization_type: 'property_tags',
  property_tags: ['all'],
  signing_keys: [{ kid: '1', kty: 'OKP' }],
  ...more,
})
const file = (domain: string, agents: string[], more = {}) => ({
  $schema: 'https://schemas.example/adagents.json',
  last_updated: '2026-11-01T00:00:00Z',
  authorized_agents: agents.map(url => entry(url)),
  properties: [property(domain)],
  tags: { all: { name: 'All', description: 'Everything' } },
  ...more,
})

const web = openForAll(() =>
  openLiveWeb({
    'good.example': {
      [FILE]: file('good.example', [
        'https://carded.example',
        'https://spoken.example/mcp',
        'https://closed.example/mcp',
        'https://gone.example/mcp',
      ]),
    },
    'unpinned.example': {
      [FILE]: file('unpinned.example', [], {
        authorized_agents: [entry('https://spoken.example/mcp', { signing_keys: undefined })],
      }),
    },
    'carded.example': {
      '/.well-known/agent-card.json': { name: 'Carded', url: 'https://carded.example/a2a' },
    },
    'spoken.example': { '/mcp': buildAgentHost({}) },
    'closed.example': { '*': ({ response }) => response.writeHead(401).end() },
    'gone.example': { '*': ({ response }) => response.writeHead(404).end() },
    'wrong.example': {
      [FILE]: file('wrong.example', [], {
        authorized_agents: [
          entry('http://plain.example'),
          entry('https://a.example', { authorization_type: 'all' }),
          entry('https://b.example', {
            authorization_type: 'publisher_properties',
            publisher_properties: [
              { selection_type: 'by_id', publisher_domains: ['x.example'], property_ids: ['a'] },
            ],
          }),
          entry('https://c.example', { signing_keys: [{ kid: '1', kty: 'OKP', d: 'secret' }] }),
          entry('https://d.example', { effective_until: '2020-01-01T00:00:00Z' }),
          entry('https://e.example', { property_tags: ['nowhere'], signing_keys: undefined }),
        ],
      }),
    },
    'page.example': { [FILE]: '<!doctype html><p>Hello' },
    'pointing.example': {
      [FILE]: {
        $schema: 's',
        last_updated: '2026-11-01T00:00:00Z',
        authoritative_location: 'https://shared.example/files/all.json',
      },
    },
    'orphan.example': {
      [FILE]: { authoritative_location: 'https://shared.example/files/all.json' },
    },
    'circling.example': { [FILE]: { authoritative_location: `https://pointing.example${FILE}` } },
    'to-moved.example': { [FILE]: { authoritative_location: 'https://shared.example/moved' } },
    'to-page.example': { [FILE]: { authoritative_location: 'https://shared.example/page' } },
    'to-list.example': { [FILE]: { authoritative_location: 'https://shared.example/list' } },
    'to-nothing.example': { [FILE]: { authoritative_location: 'https://shared.example/none' } },
    'to-http.example': { [FILE]: { authoritative_location: 'http://shared.example/' } },
    'shared.example': {
      '/moved': ({ response }) => response.writeHead(302, { location: '/files/all.json' }).end(),
      '/page': '<!doctype html><p>Hello',
      '/list': '[]',
      '/files/all.json': file('pointing.example', [], {
        authorized_agents: [entry('https://spoken.example/mcp')],
        properties: [property('pointing.example', { publisher_domain: 'pointing.example' })],
      }),
    },
    'managed.example': { '/ads.txt': 'managerdomain=manager.example\n' },
    'unknown-to-manager.example': { '/ads.txt': 'MANAGERDOMAIN=manager.example\n' },
    'misnamed.example': { '/ads.txt': 'managerdomain=careless.example\n' },
    'careless.example': {
      [FILE]: file('careless.example', ['https://spoken.example/mcp'], {
        properties: [
          property('other.example', { publisher_domain: 'other.example', identifiers: [] }),
          property('misnamed.example', { publisher_domain: 'misnamed.example', identifiers: [] }),
        ],
      }),
    },
    'selfmade.example': { '/ads.txt': 'managerdomain=selfmade.example\n' },
    'manager.example': {
      [FILE]: file('manager.example', ['https://spoken.example/mcp'], {
        properties: [property('managed.example', { publisher_domain: 'managed.example' })],
      }),
    },
    'inward.example': {
      [FILE]: ({ response }) => response.writeHead(302, { location: 'https://10.0.0.1/x' }).end(),
    },
    'hangs-up.example': { '*': ({ request }) => request.socket.destroy() },
    'patient.example': {
      [FILE]: ({ response }) =>
        setTimeout(() => response.end(JSON.stringify(file('patient.example', []))), 300),
    },
    'failing.example': { [FILE]: ({ response }) => response.writeHead(500).end() },
    'huge.example': {
      [FILE]: file('huge.example', [], {
        properties: Array.from({ length: 12_000 }, (_, i) => property(`s${i}.huge.example`)),
      }),
    },
    'faulty.example': {
      [FILE]: file('faulty.example', [], {
        authorized_agents: Array.from({ length: 2_000 }, (_, i) => ({
          url: `x${'y'.repeat(400)}${i}`,
          authorized_for: 3,
          authorization_type: 'q'.repeat(400),
          countries: ['x'.repeat(300)],
        })),
      }),
    },
  }),
)
const registry = openForAll(() => web.open())

beforeEach(() => web.forget())

const validate = (domain: unknown, at = registry) =>
  at.app.inject({ method: 'POST', url: '/api/adagents/validate', payload: { domain } as object })
const listCodes = (faults: { code: string; field: string }[]) =>
  faults.map(({ code, field }) => `${code} ${field}`)

describe('POST /api/adagents/validate', () => {
  it('200: a valid file and the state of its agents', async () => {
    const answer = await validate('https://GOOD.example/')
    expect(answer.statusCode).toBe(200)
    const { data, ...top } = answer.json()
    expect(top).toMatchObject({ success: true, valid: true, errors: [] })
    expect(data).toMatchObject({ domain: 'good.example', found: true })
    expect(data.validation).toMatchObject({
      valid: true,
      errors: [],
      domain: 'good.example',
      status_code: 200,
      url: `https://good.example${FILE}`,
      discovery_method: 'direct',
      raw_data: { properties: [{ name: 'good.example' }] },
    })
    expect(data.validation.raw_data_truncated).toBeUndefined()
    expect(data.validation.response_bytes).toBeGreaterThan(500)
    expect(data.agent_cards).toMatchObject([
      {
        agent_url: 'https://carded.example',
        valid: true,
        card_data: { name: 'Carded' },
        card_endpoint: 'https://carded.example/.well-known/agent-card.json',
      },
      { agent_url: 'https://spoken.example/mcp', valid: true, errors: [] },
      { agent_url: 'https://closed.example/mcp', valid: true, oauth_required: true },
      { agent_url: 'https://gone.example/mcp', valid: false, errors: ['the agent answered 404'] },
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('200: each fault has a field, a code of the table and advice', async () => {
    const { valid, errors, warnings, data } = (await validate('wrong.example')).json()
    expect(valid).toBe(false)
    expect(data.validation).toMatchObject({ valid, errors, warnings })
    expect(data.agent_cards).toBeUndefined()
    expect(listCodes(errors)).toEqual([
      'not_https authorized_agents[0].url',
      'not_allowed authorized_agents[1].authorization_type',
      'contradictory authorized_agents[2].publisher_properties[0].publisher_domains',
      'private_key authorized_agents[3].signing_keys[0].d',
    ])
    expect(listCodes(warnings)).toEqual(
      expect.arrayContaining([
        'expired authorized_agents[4].effective_until',
        'without_effect authorized_agents[5].property_tags',
        'unpinned authorized_agents[5].signing_keys',
      ]),
    )
    const lightest = warnings.at(-1)
    expect([lightest.code, lightest.severity]).toEqual(['unpinned', 'recommendation'])
    for (const fault of [...errors, ...warnings]) {
      expect(fault.suggestion.length).toBeGreaterThan(3)
      expect(fault.message.length).toBeGreaterThan(5)
    }
  })

  describe('with a document', () => {
    const check = (payload: object) =>
      registry.app.inject({ method: 'POST', url: '/api/adagents/validate', payload })

    it('200: nothing is read, and each fault has its line and column', async () => {
      const document = '{\n  "authorized_agents": [\n    { "url": "http://a.example" }\n  ]\n}'
      const { valid, errors, data } = (await check({ document })).json()
      expect([valid, data.found, data.validation.url]).toEqual([false, true, 'proposed'])
      expect(errors).toContainEqual(
        expect.objectContaining({ code: 'not_https', line: 3, column: 7 }),
      )
      expect(data.validation.errors).toEqual(errors)
    })

    it('200: as JSON it is checked too, and the domain that will serve it is heeded', async () => {
      const answer = await check({ document: file('good.example', []), domain: 'good.example' })
      expect(answer.json()).toMatchObject({ valid: true, data: { domain: 'good.example' } })
      const house = { house: { domain: 'a.example', name: 'A' }, brands: [{ id: 'a', names: [] }] }
      const brand = { document: house, kind: 'brand.json', domain: 'b.example' }
      expect(listCodes((await check(brand)).json().errors)).toContain('contradictory house.domain')
    })

    it('400: a kind or a document of another type', async () => {
      for (const payload of [{ document: 7 }, { document: '{}', kind: 'ads.txt' }, {}]) {
        expect((await check(payload)).statusCode).toBe(400)
      }
      expect((await check({})).json().error).toBe('The body must have `domain` or `document`.')
    })
  })

  it('200: the target of a pointer is checked', async () => {
    const { data, valid } = (await validate('pointing.example')).json()
    expect(valid).toBe(true)
    expect(data.validation).toMatchObject({
      discovery_method: 'authoritative_location',
      resolved_url: 'https://shared.example/files/all.json',
      raw_data: { authorized_agents: [{ url: 'https://spoken.example/mcp' }] },
    })
  })

  it('200: a pointer whose target names nothing of the domain is an orphan', async () => {
    const { warnings } = (await validate('orphan.example')).json()
    expect(listCodes(warnings)).toContain('orphaned_pointer authoritative_location')
  })

  it('200: a second pointer is not followed', async () => {
    const { errors } = (await validate('circling.example')).json()
    expect(listCodes(errors)).toEqual(['nested_pointer authoritative_location'])
  })

  test.each([
    ['moved', 'bad_redirect', 'authoritative_location leads to a URL that redirects, which is not'],
    ['page', 'not_json', 'this is a web page, not a JSON file'],
    ['list', 'not_an_object', 'the file must be a JSON object, not a list'],
    ['nothing', 'file_missing', 'there is no file'],
    ['http', 'not_https', 'authoritative_location must start with https://'],
  ])('200: a pointer to %s has one error, at the pointer', async (target, code, message) => {
    const { errors } = (await validate(`to-${target}.example`)).json()
    expect(errors).toMatchObject([
      { field: 'authoritative_location', code, message: expect.stringContaining(message) },
    ])
  })

  it('200: a missing file is answered from that of the manager that names the publisher', async () => {
    const { data, warnings } = (await validate('managed.example')).json()
    expect(data).toMatchObject({
      found: true,
      validation: { discovery_method: 'ads_txt_managerdomain', manager_domain: 'manager.example' },
    })
    expect(listCodes(warnings)).toContain('manager_used managerdomain')
  })

  test.each([
    ['unknown-to-manager.example', 'errors', 'out_of_scope managerdomain_scope'],
    ['selfmade.example', 'warnings', 'contradictory managerdomain'],
  ])('200: no manager answers for %s', async (domain, kind, code) => {
    const answer = (await validate(domain)).json()
    expect(answer.data).toMatchObject({ found: false, validation: { status_code: 404 } })
    expect(listCodes(answer.errors)).toContain('file_missing http_status')
    expect(listCodes(answer[kind])).toContain(code)
  })

  it('200: faults of a manager’s file are named where they may be the reason', async () => {
    const { errors } = (await validate('misnamed.example')).json()
    expect(listCodes(errors)).toEqual([
      'file_missing http_status',
      'out_of_scope managerdomain_scope',
      'empty managerdomain_scope.properties[1].identifiers',
    ])
    expect(errors[1].message).toContain('careless.example does not name misnamed.example')
  })

  test.each([
    ['nothing.example', 'file_missing http_status', 404],
    ['page.example', 'not_json json', 200],
    ['failing.example', 'http_status http_status', 500],
  ])('200: %s is not valid, with the reason', async (domain, code, status) => {
    const { data, errors, valid } = (await validate(domain)).json()
    expect([valid, listCodes(errors), data.validation.status_code]).toEqual([false, [code], status])
  })

  it('200: a file that does not come in time is not valid, for that reason', async () => {
    const slow = { 'slow.example': { [FILE]: () => undefined } }
    const hasty = await openLiveWeb(slow, { validateMs: 1_500, fetchMs: 1_000 })
    const { data, errors, valid } = (await validate('slow.example', await hasty.open())).json()
    expect([valid, listCodes(errors), data.validation.status_code]).toEqual([
      false,
      ['timeout timeout'],
      undefined,
    ])
    await hasty.close()
  })

  it('200: a private network looks like a server that does not exist', async () => {
    const listFaults = async (domain: string) => {
      const { errors, data } = (await validate(domain)).json()
      const { domain: _, url: __, ...validation } = data.validation
      return { errors, validation }
    }
    const away = await listFaults('hangs-up.example')
    expect(listCodes(away.errors)).toEqual(['connection connection'])
    expect(await listFaults('printer.local')).toEqual(away)
    expect(await listFaults('metadata.google.internal')).toEqual(away)
    expect(await listFaults('inward.example')).toEqual(away)
  })

  test.each(['huge.example', 'faulty.example'])(
    '200: the answer about %s stays within its bound',
    async domain => {
      const answer = await validate(domain)
      expect(answer.body.length).toBeLessThan(CAP)
      const { data, valid, errors } = answer.json()
      expect(data.validation.raw_data_truncated).toBe(true)
      expect(valid).toBe(errors.length === 0)
    },
  )

  test.each([
    [undefined],
    [''],
    ['  '],
    [3],
    [null],
    [['a.example']],
    ['10.0.0.1'],
    ['a'.repeat(300)],
  ])('400: %j is no domain', async domain => {
    const answer = await validate(domain)
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringMatching(domain === undefined ? /^The body must have `domain`/ : /^`domain` /),
    ])
    expect(web.origin.asked).toEqual([])
  })

  it('200: equal requests are sent once, and a recent answer is sent with its age', async () => {
    const own = await web.open({ answerKeptSeconds: 10 })
    const answers = await Promise.all([
      validate('patient.example', own),
      validate('patient.example', own),
    ])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    own.clock.tick(4_000)
    const again = await validate('patient.example', own)
    expect([again.statusCode, again.headers.age]).toEqual([200, '4'])
    expect(again.json().timestamp).toBe(answers[0]!.json().timestamp)
    expect(web.origin.asked).toHaveLength(1)
  })

  it('503: without a crawler nothing can be read', async () => {
    const gone = openWriterClient(`unix:///nowhere-${process.pid}.sock`, silentLog)
    const answer = await validate(
      'good.example',
      await web.open({}, { writer: { requestLive: gone.requestLive } }),
    )
    expect(answer.statusCode).toBe(503)
    await gone.close()
  })
})

describe('GET /api/properties/validate', () => {
  const ask = (query: string) => registry.app.inject(`/api/properties/validate${query}`)

  it('200: only the result', async () => {
    expect((await ask('?domain=good.example')).json()).toMatchObject({
      valid: true,
      domain: 'good.example',
      status_code: 200,
      errors: [],
    })
    expect((await ask('?domain=unpinned.example')).json()).toMatchObject({
      valid: true,
      warnings: [{ code: 'unpinned', severity: 'recommendation' }],
    })
    expect((await ask('?domain=nothing.example')).json()).toMatchObject({ valid: false })
    expect((await ask('?domain=huge.example')).body.length).toBeLessThan(CAP)
  })

  test.each([
    [''],
    ['?domain='],
    ['?domain=10.0.0.1'],
    ['?domain=printer.local'],
    ['?domain=a.internal'],
  ])('400: %s', async query => {
    const answer = await ask(query)
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.stringMatching(/^`domain` /),
    ])
  })
})

describe('GET /api/public/validate-publisher', () => {
  const ask = (query: string) => registry.app.inject(`/api/public/validate-publisher${query}`)

  it('200: the counts of the file', async () => {
    expect((await ask('?domain=good.example')).json()).toMatchObject({
      valid: true,
      domain: 'good.example',
      discovery_method: 'direct',
      agent_count: 4,
      property_count: 1,
      property_type_counts: { website: 1 },
      tag_count: 1,
    })
    expect((await ask('?domain=pointing.example')).json()).toMatchObject({ agent_count: 1 })
  })

  it('200: invalid entries are not counted', async () => {
    expect((await ask('?domain=wrong.example')).json()).toMatchObject({
      valid: false,
      agent_count: 0,
      property_count: 0,
      property_type_counts: {},
      tag_count: 0,
    })
    expect((await ask('?domain=printer.local')).json()).toMatchObject({ valid: false })
  })

  it('400: a domain is required', async () => {
    expect((await ask('')).statusCode).toBe(400)
  })
})
