import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import {
  buildOperatorFile,
  publishFiles,
  requestWithQuery,
} from '../support/fixtures/operator-files.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { buildShop, buildWebsite, grantByIds } from '../support/worlds/nights.ts'

const agent = 'https://sell.agents.example/mcp'
const path = '/api/registry/validate/authorizations'
const registry = openForAll(() =>
  openRegistry({
    limits: { authorizationsChecked: 20, bulkResolvePerMinute: 500 },
  }),
)

beforeAll(async () => {
  const granting = (domain: string, more: object = {}) =>
    buildShop(domain, { authorized_agents: [grantByIds(agent, more)] })
  await publishFiles(registry, {
    'both.example': granting('both.example', { delegation_type: 'direct' }),
    'differ.example': granting('differ.example', { delegation_type: 'direct' }),
    'silent.example': granting('silent.example'),
    'french.example': granting('french.example', { countries: ['FR'] }),
    'wide.example': buildShop('wide.example', {
      properties: [
        buildWebsite('wide.example', {
          identifiers: [{ type: 'domain', value: '*.wide.example' }],
        }),
      ],
      authorized_agents: [grantByIds(agent)],
    }),
    'mute.example': buildShop('mute.example', { authorized_agents: [] }),
    'apps.example': buildShop('apps.example', {
      properties: [
        buildWebsite('apps.example', {
          property_type: 'mobile_app',
          identifiers: [{ type: 'ios_bundle', value: 'com.apps.game' }],
        }),
      ],
      authorized_agents: [grantByIds(agent)],
    }),
    'brand agents.example': buildOperatorFile(
      [agent],
      [
        { identifier: 'both.example', relationship: 'direct' },
        { identifier: 'differ.example', relationship: 'ad_network' },
      ],
    ),
  })
})

async function post(payload: string, headers: Record<string, string> = {}, query = '') {
  const answer = await registry.send('POST', `${path}${query}`, {
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })
  const isPacked = answer.headers['content-encoding'] === 'gzip'
  const text = isPacked ? gunzipSync(answer.rawPayload).toString() : answer.payload
  return { status: answer.statusCode, type: answer.headers['content-type'], text }
}

const readLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

test('the query of the analyst’s guide gives the answers of the API, however a domain is written', async () => {
  const [, query = ''] =
    /```sql\n(create temp table answers .*?)```/s.exec(
      readFileSync('docs/guides/analyst.md', 'utf8'),
    ) ?? []
  const hosts = ['both', 'differ', 'silent', 'french', 'mute', 'unheard', 'wide', 'deep.wide']
  const domains = hosts.flatMap(host =>
    ['', 'www.', 'm.', 'news.', 'www.news.', '*.', 'https://'].map(
      prefix => `${prefix}${host}.example`,
    ),
  )
  const agents = [
    agent,
    `${agent.toUpperCase()}/`.replace('/MCP/', '/mcp/'),
    agent.replace('/mcp', '/MCP'),
    agent.replace('/mcp', '/./mcp'),
    agent.replace('https://', ''),
    'https://nobody.example/mcp',
  ]
  const asked = agents.flatMap(agent_url => domains.map(domain => ({ agent_url, domain })))
  const lines = asked.map(({ agent_url, domain }) => `${agent_url},${domain}`)
  const file = join(registry.config.DATA_DIR, 'pairs.csv')
  writeFileSync(file, ['agent_url,domain', ...lines, ''].join('\n'))
  await registry.publish()
  const snapshots = join(registry.config.DATA_DIR, 'snapshots')
  const db = await Database.open(join(snapshots, readdirSync(snapshots).sort().at(-1)!), {
    readOnly: true,
    isForAnalysts: true,
  })
  await db.run(query.replace('pairs.csv', file))
  const rows = await db.all<{ line: string; authorized: boolean | null }>(
    "select agent_url || ',' || domain as line, authorized from answers",
  )
  db.close()
  expect(rows).toHaveLength(lines.length)
  const answers = new Map(rows.map(({ line, authorized }) => [line, authorized]))
  for (const [i, { agent_url, domain }] of asked.entries()) {
    const single = await requestWithQuery(
      registry,
      '/api/registry/validate/property-authorization',
      { agent_url, identifier_type: 'domain', identifier_value: domain },
    )
    const isUnderstood = single.statusCode === 200 && !agent_url.includes('/./')
    const authorized = isUnderstood ? single.json().authorized : null
    expect([lines[i], answers.get(lines[i]!)]).toEqual([lines[i], authorized])
  }
})

describe('many questions are answered as each is by itself', () => {
  const identifiers = [
    ...['both', 'differ', 'silent', 'french', 'mute', 'unheard'].map(name => ({
      type: 'domain',
      value: `${name}.example`,
    })),
    { type: 'ios_bundle', value: 'com.apps.game' },
  ]
  const agents = [agent, `${agent}/`, 'https://nobody.example/mcp']
  const pairs = agents.flatMap(agent_url =>
    identifiers.map(identifier => ({ agent_url, identifier })),
  )

  test('whatever the agent and the identifier', async () => {
    for (const asked of [pairs.slice(0, 12), pairs.slice(12)]) {
      const questions = asked.map(({ agent_url, identifier: { type, value } }) =>
        type === 'domain'
          ? { agent_url, domain: value }
          : { agent_url, identifier_type: type, identifier_value: value },
      )
      const { status, type, text } = await post(JSON.stringify({ pairs: questions }))
      expect([status, type]).toEqual([200, 'application/x-ndjson'])
      const lines = readLines(text)
      expect(lines.map(({ line }) => line)).toEqual(asked.map((_, i) => i + 1))
      for (const [i, { agent_url, identifier }] of asked.entries()) {
        const single = await requestWithQuery(
          registry,
          '/api/registry/validate/property-authorization',
          { agent_url, identifier_type: identifier.type, identifier_value: identifier.value },
        )
        const { freshness, checked_at: _, ...verdict } = single.json()
        const { state } = freshness
        expect(lines[i]).toEqual({
          line: i + 1,
          ...verdict,
          freshness: { state },
          publisher_side: verdict.sides.publisher,
          state,
        })
      }
    }
    const first = readLines(
      (await post(JSON.stringify([pairs[0], { agent_url: agent, domain: 'both.example' }]))).text,
    )
    expect(first).toMatchObject([
      { error: expect.any(String) },
      { authorized: true, confirmed: true },
    ])
  })

  test.each([
    ['with names', `domain,agent_url,note\nboth.example,${agent},x\nmute.example,${agent},y\n`],
    ['without names', `${agent},both.example\n${agent},mute.example`],
    [
      'separated by tabs',
      `agent_url\tdomain\r\n${agent}\tboth.example\r\n${agent}\tmute.example\r\n`,
    ],
    [
      'by identifier',
      `\ufeff${agent};domain;both.example\n\n# a remark\n${agent};domain;mute.example`,
    ],
  ])('as CSV %s', async (_, payload) => {
    const { text } = await post(payload, { 'content-type': 'text/csv' })
    expect(readLines(text)).toMatchObject([
      { identifier_value: 'both.example', authorized: true },
      { identifier_value: 'mute.example', authorized: false, publisher_side: 'mismatch' },
    ])
  })
})

test.each([
  ['{"pair":[]}', 'Unknown field `pair`. Did you mean `pairs`?'],
  ['{"questions":[]}', '`pairs` is required.'],
  ['{"pairs":{}}', '`pairs` must be a list.'],
  ['null', '`pairs` is required.'],
])('a body without a list of questions is told why: %s', async (payload, error) => {
  const { status, text } = await post(payload)
  expect([status, JSON.parse(text).error]).toEqual([400, error])
})

test.each([
  [undefined, undefined],
  ['identity', undefined],
  ['gzip;q=0', undefined],
  ['br', undefined],
  ['gzip, deflate, br', 'gzip'],
])('the answer to Accept-Encoding: %s is sent as %s', async (accepted, encoding) => {
  for (const format of ['ndjson', 'csv']) {
    const answer = await registry.send('POST', `${path}?format=${format}`, {
      headers: {
        'content-type': 'application/json',
        ...(accepted !== undefined && { 'accept-encoding': accepted }),
      },
      payload: JSON.stringify([{ agent_url: agent, domain: 'both.example' }]),
    })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers.vary).toContain('accept-encoding')
    const text = encoding ? gunzipSync(answer.rawPayload).toString() : answer.payload
    expect(text).toContain('both.example')
  }
})

test('a question that is not understood is told as such, and the others are answered', async () => {
  const { text } = await post(
    JSON.stringify([
      7,
      { agent_url: agent },
      { agent_url: 'agent', domain: 'both.example' },
      { agent_url: agent, identifier_type: 'domain' },
      { agent_url: agent, domain: ['both.example'] },
      { agent_url: agent, identifier_type: 'domian', identifier_value: 'both.example' },
      { agent_url: agent, domain: 'both.example', country: 'UK' },
      { agent_url: agent, domian: 'both.example' },
      { agent, domain: 'both.example' },
      { agent_url: agent, domain: 'both.example' },
    ]),
  )
  const lines = readLines(text)
  expect(lines.slice(0, 9).map(({ authorized, error }) => [authorized, typeof error])).toEqual(
    Array.from({ length: 9 }, () => [undefined, 'string']),
  )
  expect(lines[7].error).toBe('Unknown field `domian`. Did you mean `domain`?')
  expect(lines[8].error).toBe('Unknown field `agent`. Did you mean `agent_url`?')
  expect(lines[4].error).toBe('`domain` must be a string.')
  const { text: rows } = await post(`agent_url,domain\n,both.example`, {
    'content-type': 'text/csv',
  })
  expect(readLines(rows)[0].error).toBe('`agent_url` is missing.')
  expect(lines[5].error).toMatch(/Did you mean "domain"/)
  expect(lines[9]).toMatchObject({ line: 10, authorized: true })
})

test('a faulty question keeps what it names, in each format', async () => {
  const asked = { agent_url: agent, identifier_type: 'domain', identifier_value: 'both.example' }
  const faults = [
    { agent_url: agent, domain: 'both.example', contry: 'FR' },
    { ...asked, country: 'UK' },
    { ...asked, delegation: 'direct' },
  ]
  const { text } = await post(JSON.stringify(faults))
  for (const [i, line] of readLines(text).entries())
    expect(line).toEqual({
      line: i + 1,
      ...asked,
      error: expect.any(String),
      code: 'invalid_request',
    })
  const csv = { 'content-type': 'text/csv' }
  const rows = await post(`agent_url,domain,country\n${agent},both.example,UK`, csv, '?format=csv')
  expect(rows.text).toContain(`\n1,${agent},domain,both.example,,`)
})

test('a restriction that is not checked is a fault, also under a wrong name', async () => {
  const asked = { agent_url: agent, domain: 'both.example' }
  const { text } = await post(
    JSON.stringify([
      { ...asked, delegation: 'direct' },
      { ...asked, as_of: '2020-01-01' },
      { ...asked, identifier_type: 'domain', identifier_value: 'other.example' },
      { ...asked, identifier_type: 'ios_bundle' },
      { ...asked, identifier_type: 'domain' },
    ]),
  )
  expect(readLines(text).map(({ error }) => error)).toEqual([
    expect.stringMatching(/^`delegation` is not supported in bulk/),
    expect.stringMatching(/^`as_of` is not supported in bulk/),
    'Enter either a domain, or an identifier type and a value, not both.',
    'Enter either a domain, or an identifier type and a value, not both.',
    undefined,
  ])
  const { text: rows } = await post(`agent_url,domain,countries\n${agent},both.example,DE`, {
    'content-type': 'text/csv',
  })
  expect(readLines(rows)[0].error).toBe('Unknown field `countries`. Did you mean `country`?')
  const { text: owned } = await post(
    `agent_url,domain,created_at,type,tags,country_code\n${agent},both.example,2026,x,y,DE`,
    { 'content-type': 'text/csv' },
  )
  expect(readLines(owned)[0]).toMatchObject({ authorized: true })
})

test('a country is checked as in the single check, in JSON and in CSV', async () => {
  const codes = ['FR', 'fr', 'GB', undefined]
  const asked = codes.map(country => ({ agent_url: agent, domain: 'french.example', country }))
  const json = await post(JSON.stringify(asked))
  const rows = codes.map(code => `${agent},french.example,${code ?? ''}`)
  const csv = await post(['agent_url,domain,country', ...rows].join('\n'), {
    'content-type': 'text/csv',
  })
  for (const { text } of [json, csv]) {
    expect(readLines(text).map(({ authorized, needs }) => [authorized, needs])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, undefined],
      [false, 'country'],
    ])
  }
})

test('a domain that is none is a fault of the field in which it was sent', async () => {
  const { text } = await post(
    JSON.stringify([
      { agent_url: agent, domain: 'no domain' },
      { agent_url: agent, identifier_type: 'domain', identifier_value: 'no domain' },
    ]),
  )
  const rule = 'must be a domain name such as acme.example'
  const faults = readLines(text).map(({ error }) => error)
  expect(faults).toEqual([`\`domain\` ${rule}.`, `\`identifier_value\` ${rule}.`])
})

test.each([
  ['no list', '{}'],
  ['an empty list', '[]'],
  ['no JSON', '[{'],
  ['too many', JSON.stringify(Array.from({ length: 21 }, () => ({})))],
  ['deep nesting', '['.repeat(5_000)],
])('a body that is %s is refused in words', async (_, payload) => {
  const { status, text } = await post(payload)
  expect(status).toBe(400)
  expect(JSON.parse(text)).toEqual({ error: expect.any(String), code: 'invalid_request' })
})

test.each(['https://a.example,b,c,d', 'agent,domain\nhttps://a.example/mcp,a.example'])(
  'rows whose columns are not known are refused: %j',
  async payload => {
    const { status, text } = await post(payload, { 'content-type': 'text/csv' })
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      expect.stringContaining('must name the columns'),
    ])
  },
)

test('an answer as CSV has the same lines, and no value that a spreadsheet runs', async () => {
  const payload = JSON.stringify([
    { agent_url: agent, domain: 'both.example' },
    { agent_url: '=1+1', domain: '@x' },
  ])
  for (const [headers, query] of [
    [{ accept: 'text/csv' }, ''],
    [{}, '?format=csv'],
  ] as const) {
    const { type, text } = await post(payload, headers, query)
    expect(type).toBe('text/csv; charset=utf-8')
    const [head, both, faulty] = text.split('\r\n')
    expect(head).toMatch(/^line,agent_url,identifier_type,identifier_value,authorized,/)
    expect(both).toContain(`1,${agent},domain,both.example,true,true,both.example,`)
    expect(faulty).toContain(`2,"'=1+1",domain,"'@x",`)
  }
})

test('the page answers a pasted list, an uploaded one, and sends it as a file', async () => {
  const send = async (parts: Record<string, string | Blob>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) form.set(name, value)
    const request = new Request('http://localhost/', { method: 'POST', body: form })
    return registry.send('POST', '/authorization/list', {
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      payload: Buffer.from(await request.arrayBuffer()),
    })
  }
  const rows = `agent_url,domain\n${agent},both.example\n${agent},differ.example`
  const pasted = await send({ text: rows, do: '' })
  expect(pasted.payload).toContain('Yes, confirmed')
  expect(pasted.payload).toContain('>Contradicted<')
  // As pages show the address of an agent.
  const shown = await send({ text: rows.replaceAll('https://', ''), do: '' })
  expect(shown.payload).toContain('Yes, confirmed')
  const uploaded = await send({ text: '', file: new Blob([rows]), do: 'download' })
  expect(uploaded.headers['content-disposition']).toContain('authorizations.csv')
  expect(uploaded.payload.split('\r\n')).toHaveLength(4)
  const empty = await send({ text: '' })
  expect([empty.statusCode, load(empty.payload)('[role=alert]').text()]).toEqual([
    400,
    'Paste or upload a list first.',
  ])
  const unread = load((await send({ text: 'hello <world>', do: 'download' })).payload)
  expect(unread('[role=alert]').text()).toMatch(/^The first line must name the columns: agent_url/)
  expect(unread('textarea[aria-invalid]').text()).toBe('hello <world>')
  expect(unread('button[value=download]')).toHaveLength(0)
  const half = load((await send({ text: `agent_url,domain\n${agent},` })).payload)
  expect(half('#answers tbody th').text()).toContain('agent')
  // Each line says what the page of its question says.
  const domains = ['both', 'differ', 'silent', 'french', 'mute', 'nobody'].map(s => `${s}.example`)
  const lines = domains.map(domain => `${agent},${domain}`)
  const listed = load((await send({ text: ['agent_url,domain', ...lines].join('\n') })).payload)
  for (const [i, identifier_value] of domains.entries()) {
    const cell = listed('#answers tbody tr').eq(i).find('td').eq(1)
    const evidence = cell.find('a').attr('href') ?? ''
    expect(new URLSearchParams(evidence.split('?')[1]).get('identifier_value')).toBe(
      identifier_value,
    )
    const { body } = await registry.app.inject(evidence)
    const word = cell.text()
    const [verdict, reason] = ['.verdict h1', '.verdict p'].map(part => load(body)(part).text())
    expect(`${verdict}, ${reason?.toLowerCase()}`).toMatch(new RegExp(`^${word}\\b`))
  }
  const counts = listed('.counts dd').map((_, dd) => listed(dd).text())
  expect(counts.get()).toEqual(['2', '1', '2', '1', '1', '0'])
})
