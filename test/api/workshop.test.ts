import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeBody } from '../../pipeline/writer/crawl/replace-documents.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AGENT, fillPages, PUBLISHER } from '../support/worlds/page-world.ts'

const registry = openForAll(openRegistry)

beforeAll(async () => {
  await fillPages(registry)
})

function send(form: Record<string, string | File>) {
  const body = new FormData()
  for (const [name, value] of Object.entries({ kind: 'adagents.json', ...form })) {
    body.append(name, value)
  }
  const request = new Request('http://registry', { method: 'POST', body })
  return request.arrayBuffer().then(bytes =>
    registry.send('POST', '/workshop', {
      headers: { 'content-type': request.headers.get('content-type')! },
      payload: Buffer.from(bytes),
    }),
  )
}
const check = async (form: Record<string, string | File>) => load((await send(form)).body)

const NEWCOMER = 'https://newcomer.example/mcp'
const proposal = {
  $schema: 's',
  last_updated: '2026-11-01T00:00:00Z',
  authorized_agents: [
    {
      url: NEWCOMER,
      authorized_for: 'Display',
      authorization_type: 'property_ids',
      property_ids: ['site'],
    },
  ],
  properties: [
    {
      property_id: 'site',
      property_type: 'website',
      name: 'Herald',
      identifiers: [{ type: 'domain', value: PUBLISHER }],
    },
  ],
}

describe('a file that was sent is checked', () => {
  test('as the other kind, if it looks like one', async () => {
    const text = '{"house": {"domain": "acme.example", "name": "Acme"}, "brands": []}'
    const offered = await check({ text })
    expect(offered('.lines')).toHaveLength(0)
    const offer = offered('#verdict button[form=editor]')
    expect([offer.attr('name'), offer.val()]).toEqual(['as', 'brand.json'])
    const page = await check({ text, as: 'brand.json' })
    expect(page('#verdict').text()).toContain('brand.json')
    expect(page('#kind option[selected]').val()).toBe('brand.json')
    expect(page('#result button')).toHaveLength(0)
  })

  const whole = proposal.properties[0]!
  test.each([
    ['Valid', { ...proposal }, 'good'],
    ['Usable', { ...proposal, properties: [whole, { ...whole, property_type: 7 }] }, 'fair'],
    ['Invalid', { authorized_agents: [{ url: NEWCOMER }] }, 'bad'],
    [
      'Invalid',
      { authoritative_location: `https://${PUBLISHER}/.well-known/adagents.json` },
      'bad',
    ],
  ])('the verdict is that of the publisher’s page: %s', async (word, file, look) => {
    const page = await check({ text: JSON.stringify(file), domain: PUBLISHER })
    expect(page('#verdict strong').text()).toBe(`${word} adagents.json`)
    expect(page('#verdict').hasClass(look)).toBe(true)
    const ignored =
      /Parts with errors may not take effect until you fix them: Authorized agents, below, shows/
    expect(ignored.test(page('#verdict').text())).toBe(word === 'Usable')
  })

  test('that no key is pinned is a recommendation, which neither counts nor colors', async () => {
    const page = await check({ text: JSON.stringify(proposal, null, 2), domain: PUBLISHER })
    const note = page('.note:contains("signing_keys")')
    expect([note.find('.badge, span').first().text(), note.hasClass('none')]).toEqual([
      'recommendation',
      true,
    ])
    const counted = page('.note.fair').length
    expect(page('#verdict').text()).toContain(counted === 0 ? 'json.' : `with ${counted} warning`)
  })

  test('says of text that is no JSON to fix it and check again', async () => {
    const page = await check({ text: '{"authorized_agents": [}' })
    expect(page('#verdict').text()).toContain('Fix this error, then check again')
  })

  test('each fault is shown at its line, with advice', async () => {
    const page = await check({ text: '{\n  "properties": [],\n  "authorized_agents": 1\n}' })
    expect(page('#verdict').text()).toContain('Invalid adagents.json')
    const line = page('.lines li.bad').first()
    expect(line.find('a').text()).toBe('3')
    expect(line.find('code').text()).toBe('  "authorized_agents": 1')
    expect(line.find('.note').first().text()).toContain('must be a list, not 1')
    expect(line.text()).toContain('Fix: write a list in brackets: [ … ].')
  })

  test('an empty upload is named, and a domain with www. gets one without', async () => {
    const empty = await check({ file: new File([], 'adagents.json') })
    expect(empty('[role=alert]').text()).toBe('The file that you uploaded is empty.')
    const page = await check({ text: JSON.stringify(proposal), domain: `www.${PUBLISHER}` })
    expect(page('#result .hint a').text()).toBe(PUBLISHER)
  })

  test('an uploaded file takes precedence over the text, and is shown', async () => {
    const file = new File(['{"names": [{"en": "Acme"}],\r\n "id": "acme"}'], 'brand.json')
    const page = await check({ kind: 'brand.json', text: 'no', file })
    expect(page('#verdict').text()).toContain('Valid brand.json')
    expect(page('textarea').text().trim()).toBe('{"names": [{"en": "Acme"}],\n "id": "acme"}')
  })

  test.each([
    ['Invalid', 'utf16le' as const, '\ufeff'],
    ['Valid', 'latin1' as const, ''],
  ])('an upload in another encoding is %s as its bytes are: %s', async (word, encoding, start) => {
    const named = { ...proposal, properties: [{ ...proposal.properties[0], name: 'Zeitung für' }] }
    const bytes = Buffer.from(start + JSON.stringify(named, null, 2), encoding)
    const file = new File([bytes], 'adagents.json')
    const page = await check({ file, domain: PUBLISHER })
    expect(page('#verdict strong').text()).toBe(`${word} adagents.json`)
    expect(page('.lines li').first().text()).toContain(
      'The file isn’t valid UTF-8, so some characters were lost',
    )
    expect(page('textarea').text().trim()).toBe('')
    expect(load((await send({ file, do: 'download' })).body)('.lines').text()).toContain('UTF-8')
  })

  test('an upload that is no text is told to be none, not to be saved in another encoding', async () => {
    const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
    const page = await check({ file: new File([bytes], 'adagents.json') })
    expect(page('.lines').text()).toContain('it isn’t a text file')
    expect(page('.lines').text()).not.toContain('UTF-8')
  })

  test('the text is sent back unchanged, whatever it contains', async () => {
    const text = '\n{"a": "</textarea><script>alert(1)</script> &amp; \u202e"}'
    const page = await check({ text })
    expect(page('textarea').text()).toBe(text)
    expect(page('main script')).toHaveLength(0)
    expect(page('#result').html()).not.toContain('<script>')
  })

  test('a download is the text and nothing else', async () => {
    const answer = await send({ text: '{\r\n}', do: 'download', kind: 'brand.json' })
    expect(answer.body).toBe('{\n}')
    expect(answer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="brand.json"',
      'x-content-type-options': 'nosniff',
    })
  })

  test('a page of thousands of faults stays small', async () => {
    const agents = Array.from({ length: 5_000 }, (_, i) => `{"url": "http://a${i}.example"}`)
    const text = `{"authorized_agents": [\n${agents.join(',\n')}\n]}`
    const result = (await check({ text }))('#result').html()!
    expect(result.length).toBeLessThan(60 * 1024)
  })

  test('a file in one line is shown in lines, each issue beside its own', async () => {
    const page = await check({ text: JSON.stringify({ ...proposal, authorized_agents: 1 }) })
    expect(page('textarea').text()).toContain('\n  "authorized_agents": 1')
    expect(page('.lines li.bad code').first().text()).toBe('  "authorized_agents": 1,')
  })

  test('a domain without a text stands for the file that it serves', async () => {
    const page = await check({ text: '', domain: 'nobody.example' })
    expect(page('.notice').text()).toContain('No adagents.json from nobody.example')
  })

  test.each<[string, Record<string, string>, string]>([
    ['nothing', { text: ' ' }, 'Paste a file'],
    ['no domain', { text: '{}', domain: 'not a domain' }, 'isn’t a valid domain'],
  ])('%s is reported', async (_, form, words) => {
    expect((await check(form))('[role=alert]').text()).toContain(words)
  })

  test('a file is checked although its domain is none', async () => {
    const page = await check({ text: '{"a": [1,]}', domain: 'your site' })
    expect(page('main').text()).toContain('remove the trailing comma')
  })

  test('400: another kind; 415: no form', async () => {
    expect((await send({ kind: 'ads.txt', text: '{}' })).statusCode).toBe(400)
    const answer = await registry.send('POST', '/workshop', {
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    })
    expect(answer.statusCode).toBe(415)
  })
})

describe('an agent that the registry does not know', () => {
  const warn = async (url: string) => {
    const authorized_agents = [{ ...proposal.authorized_agents[0], url }]
    const page = await check({ text: JSON.stringify({ ...proposal, authorized_agents }) })
    expect(page('#verdict').text()).toContain('Valid adagents.json')
    const notes = page('.lines .note.fair').toArray()
    return notes.map(note => page(note).text()).filter(note => note.includes('a known agent'))
  }
  const origin = new URL(AGENT).origin

  test.each([
    `${origin}/mpc`,
    origin,
    `${origin}/`,
    'https://agent.example',
    'https://www.agent.example/mcp',
  ])('is warned about, with the one that was most likely meant: %s', async url => {
    const [warning] = await warn(url)
    expect(warning).toContain(
      `authorized_agents[0].url isn’t the URL of a known agent. Fix: write "${AGENT}".`,
    )
  })

  test('may be a new one', async () => {
    const [warning] = await warn(NEWCOMER)
    expect(warning).toContain('Fix: check the URL, or keep it if the agent is new')
  })

  test.each([
    AGENT,
    `${AGENT}/`,
    AGENT.toUpperCase().replace('HTTPS', 'https').replace('MCP', 'mcp'),
  ])('is none that a publisher names in another spelling: %s', async url => {
    expect(await warn(url)).toEqual([])
  })

  test('is in the warnings of the API too', async () => {
    const document = {
      ...proposal,
      authorized_agents: [{ ...proposal.authorized_agents[0], url: origin }],
    }
    const answer = await registry.send('POST', '/api/adagents/validate', { payload: { document } })
    const { valid, warnings, data } = answer.json()
    expect(valid).toBe(true)
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'unknown_agent', suggestion: `write "${AGENT}"`, line: 6 }),
    )
    expect(data.validation.warnings).toEqual(warnings)
  })
})

describe('who can sell what', () => {
  test('is compared with what the registry knows', async () => {
    const page = await check({ text: JSON.stringify(proposal), domain: PUBLISHER })
    const rows = page('#sellers tbody tr').toArray()
    const texts = rows.map(row =>
      page(row)
        .children()
        .toArray()
        .map(cell => page(cell).text().trim()),
    )
    expect(texts).toEqual([
      [AGENT.slice('https://'.length), 'Plain words', '1 of 1', '—', 'removed'],
      [NEWCOMER.slice('https://'.length), 'Display', '—', '1 of 1', 'added, not a known agent'],
    ])
  })

  test('is listed without a domain as the file has it, and nothing is below an invalid file', async () => {
    const page = await check({ text: JSON.stringify(proposal) })
    expect(page('#sellers').text()).toContain('Enter your domain to see who would gain')
    expect(page('#sellers tbody tr').text()).toMatch(/newcomer.*Display.*not a known agent/s)
    expect(page('.lines').text()).not.toContain('this file is read for other domains')
    expect((await check({ text: '{"a" 1}' }))('#sellers')).toHaveLength(0)
  })

  test.each(['yoursite', 'me@x.com', 'localhost'])(
    'is listed with what is wrong with the domain: %s',
    async domain => {
      const page = await check({ text: JSON.stringify(proposal), domain })
      const fault = `“${domain}” isn’t a valid domain. Enter a domain such as acme.example.`
      expect(page('#problem').text()).toBe(fault)
      expect(page('#sellers').text()).toContain(fault)
    },
  )

  test('nothing that was sent is told in the part that is renewed while somebody types', async () => {
    expect((await check({ text: ' ' }))('#problem').text()).toContain(
      'Paste a file, upload one, or',
    )
    expect((await check({ text: JSON.stringify(proposal) }))('#problem').text()).toBe('')
  })

  test('folds the agents that stay the same', async () => {
    const [newcomer] = proposal.authorized_agents
    const known = { ...newcomer, url: AGENT, authorized_for: 'Plain words' }
    const text = JSON.stringify({ ...proposal, authorized_agents: [newcomer, known] })
    const page = await check({ text, domain: PUBLISHER })
    expect(page('#sellers > .scrolls tbody').text()).not.toContain(AGENT.slice('https://'.length))
    expect(page('#sellers details > summary').text()).toBe('1 agent stays the same')
    expect(page('#sellers details tbody tr')).toHaveLength(1)
  })

  test('says why a file whose properties belong to another domain authorizes nobody', async () => {
    const [property] = proposal.properties
    const properties = [{ ...property, publisher_domain: PUBLISHER }]
    const text = JSON.stringify({ ...proposal, properties })
    const page = await check({ text, domain: 'other.example' })
    expect(page('.lines').text()).toContain(
      `is ${PUBLISHER}, so it authorizes no agent for other.example`,
    )
    expect(page('#verdict').text()).toContain('Valid adagents.json')
    expect(page('#verdict').text()).toContain('https://other.example/.well-known/adagents.json')
  })

  test('is said beside the verdict where an entry names nothing that the file has', async () => {
    const [entry] = proposal.authorized_agents
    const authorized_agents = [{ ...entry, property_ids: ['sites'] }]
    const page = await check({
      text: JSON.stringify({ ...proposal, authorized_agents }),
      domain: PUBLISHER,
    })
    const words = page('#verdict').text()
    expect(words).toMatch(/Valid adagents\.json with \d+ warnings?; 1 entry authorizes nothing\./)
    expect(page('.lines').text()).toContain(
      'so this entry doesn’t let the agent sell anything. Fix: write "site".',
    )
  })

  test('is left out for a file that points to another one', async () => {
    const text = '{"authoritative_location": "https://elsewhere.example/adagents.json"}'
    const page = await check({ text, domain: PUBLISHER })
    expect(page('#sellers').text()).toContain('This file lists no agents: it points')
  })

  test('cannot be told from a broken file', async () => {
    const page = await check({ text: '{"authorized_agents": [', domain: PUBLISHER })
    expect(page('#sellers').text()).toContain('Nothing can be compared while the file is invalid')
  })
})

describe('the file of a domain', () => {
  const open = async (domain: string) =>
    load((await registry.app.inject({ url: `/workshop?domain=${domain}` })).body)

  test('is shown as it was read, without contact data of people', async () => {
    const { db } = registry.reader.snapshot!
    const sql = "select hash from documents where kind = 'adagents.json' and location = $location"
    const { hash } = (await db.one<{ hash: string }>(sql, { location: PUBLISHER }))!
    const contact = { name: 'Ann', email: 'ann@herald.example' }
    storeBody(registry.reader.paths, hash, Buffer.from(JSON.stringify({ ...proposal, contact })))
    const page = await open(PUBLISHER)
    const text = page('textarea').text()
    expect(JSON.parse(text)).toEqual(proposal)
    expect(text).not.toContain('ann@')
    expect(page('.notice').first().text()).toContain('Contact details have been removed')
    expect(page('#sellers tbody tr')).toHaveLength(2)
  })

  test('that is no JSON as it was stored is sent, without contact data of people', async () => {
    const { db } = registry.reader.snapshot!
    const sql = "select hash from documents where kind = 'adagents.json' and location = $location"
    const { hash } = (await db.one<{ hash: string }>(sql, { location: PUBLISHER }))!
    const broken = '{\n  "email": "ann@herald.example",\n}'
    writeFileSync(registry.reader.paths.bodyFile(hash), gzipSync(broken))
    const raw = await registry.app.inject({ url: `/file/adagents.json/${PUBLISHER}` })
    expect(raw.statusCode).toBe(200)
    expect(raw.headers['x-registry-omitted']).toBe('contacts')
    expect(raw.body).toBe(broken.replace('ann@herald.example', '*'.repeat(18)))
  })

  test('that the registry does not have is reported as such', async () => {
    expect((await open('nobody.example'))('.notice').text()).toContain(
      'No adagents.json from nobody.example has been read yet',
    )
  })
})

describe('an example to start from', () => {
  test.each(['adagents.json', 'brand.json'])('the %s has the domain, and no error', async kind => {
    const start = load((await registry.app.inject(`/workshop?kind=${kind}`)).body)
    const button = start('button:contains("Start from an example")')
    const chosen = { [button.attr('name')!]: String(button.val()) }
    const page = await check({ kind, domain: 'new.example', text: '', ...chosen })
    // Nobody can know the keys of an agent that does not exist, so one advice may be left.
    expect(page('#verdict').text()).toMatch(
      new RegExp(`^Valid ${kind}(?: with \\d+ warnings?)?\\.`),
    )
    expect(page('textarea').text()).toContain('new.example')
    expect(page('input#domain').val()).toBe('new.example')
  })
})
