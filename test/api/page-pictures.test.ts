import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { drawPicture, wrapText } from '../../api/pictures/draw.ts'
import { toPng } from '../../api/pictures/to-png.ts'
import { openRegistry } from '../support/registry/app.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { AGENT, BRAND, fillPages, PUBLISHER, pagePaths } from '../support/worlds/page-world.ts'

const pictured = pagePaths.filter(path =>
  /^\/(?:(?:brand|publisher|agent)\/[^/]+$|authorization\?)/.test(path),
)
const hostile = [
  '</text><script>alert(1)</script><image href="https://evil.example/x.png"/>',
  ']]><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  `${'long'.repeat(5_000)}`,
  'خبر عاجل \u202egnp.exe \u0000\u0007\ufffe\ud800',
  '🧑🏽‍🚀🏳️‍🌈'.repeat(50),
  '',
]

const registry = openForAll(() =>
  openRegistry({ settings: { BASE_URL: 'https://registry.example' } }),
)

beforeAll(async () => {
  await fillPages(registry)
})

function expectPicture(answer: { statusCode: number; rawPayload: Buffer }) {
  expect(answer.statusCode).toBe(200)
  expect(answer.rawPayload.subarray(1, 4).toString()).toBe('PNG')
  const [width, height] = [answer.rawPayload.readUInt32BE(16), answer.rawPayload.readUInt32BE(20)]
  expect([width, height]).toEqual([1_200, 630])
}

test.each(pictured)('%s names a picture of 1200 × 630 that this server draws', async path => {
  const page = load((await registry.app.inject(path)).body)
  const address = new URL(page('meta[property="og:image"]').attr('content')!)
  expect(address.origin).toBe('https://registry.example')
  expect(page('meta[name="twitter:card"]').attr('content')).toBe('summary_large_image')
  const answer = await registry.app.inject(address.pathname + address.search)
  expect(answer.headers['content-type']).toBe('image/png')
  expectPicture(answer)
  const held = { 'if-none-match': String(answer.headers.etag) }
  const again = await registry.app.inject({ url: address.pathname + address.search, headers: held })
  expect(again.statusCode).toBe(304)
})

test('whoever asks for pictures of many pages at once delays nobody: the others get one at once', async () => {
  const own = await openRegistry({ settings: { BASE_URL: 'https://registry.example' } })
  await fillPages(own)
  const ask = (property: string, remoteAddress: string) => {
    const query = new URLSearchParams({ agent: AGENT, property })
    const url = `/authorization/picture.png?${query}`
    return own.app.inject({ method: 'GET', url, remoteAddress })
  }
  // Nine a second were drawn for everybody.
  const flood = Array.from({ length: 150 }, (_, i) => ask(`p${i}.${PUBLISHER}`, '192.0.2.66'))
  const first = await ask(PUBLISHER, '192.0.2.1')
  expectPicture(first)
  const answers = await Promise.all(flood)
  for (const answer of answers) expectPicture(answer)
  const meanwhile = answers.filter(({ headers }) => headers['cache-control'] === 'no-store')
  expect(meanwhile.length).toBeGreaterThan(100)
  expect(new Set(meanwhile.map(({ rawPayload }) => rawPayload.toString('base64'))).size).toBe(1)
  expect(meanwhile[0]!.headers).not.toHaveProperty('etag')
  await expect
    .poll(async () => (await ask(PUBLISHER, '192.0.2.1')).headers.etag, { timeout: 20_000 })
    .toBeDefined()
  await own.close()
})

test('a page about something unknown has no picture', async () => {
  const page = load((await registry.app.inject('/brand/nobody.example')).body)
  expect(page('meta[property="og:image"]')).toHaveLength(0)
  const answer = await registry.app.inject('/brand/nobody.example/picture.png')
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
})

test('a picture changes with what its page says', async () => {
  const agent = encodeURIComponent(AGENT)
  const read = async (property: string) =>
    (await registry.app.inject(`/authorization/picture.png?agent=${agent}&property=${property}`))
      .rawPayload
  expect((await read(PUBLISHER)).equals(await read(BRAND))).toBe(false)
})

describe('texts from other sites', () => {
  const list = (text: string) => {
    const svg = drawPicture({ kind: text, title: text, description: text, host: text })
    const picture = load(svg, { xml: true })
    const describe = (_: number, node: unknown) => {
      const { name, attribs } = node as { name: string; attribs: object }
      return `${name} ${Object.keys(attribs)}`
    }
    return { svg, names: picture('*').map(describe).get() }
  }

  test.each(hostile.map(text => [text.slice(0, 40), text]))('%j is drawn as text', (_, text) => {
    const { svg, names } = list(text)
    const known = new Set(list('plain').names)
    expect(names.filter(name => !known.has(name))).toEqual([])
    expect(names.join()).not.toContain('href')
    expect(svg).not.toContain('<!')
    expect(svg.length).toBeLessThan(10_000)
  })

  test.each(hostile.map(text => [text.slice(0, 40), text]))(
    '%j becomes a picture',
    async (_, text) => {
      const svg = drawPicture({ kind: 'Brand', title: text, description: text, host: text })
      expectPicture({ statusCode: 200, rawPayload: Buffer.from(await toPng(svg)) })
    },
  )

  test('are drawn where they are those of a registry', async () => {
    const own = await openRegistry()
    await fillPages(
      own,
      '</text><image href="https://evil.example/x"/> \u062e\u0628\u0631 \u{1f680}',
    )
    for (const path of pictured) {
      const [page, query = ''] = path.split('?')
      expectPicture(await own.app.inject(`${page}/picture.png?${query}`))
    }
    await own.close()
  })
})

describe('a text of another script', () => {
  const draw = async (title: string) =>
    Buffer.from(await toPng(drawPicture({ kind: '', title, description: '', host: '' })))

  test.each(['株式会社', '한국 방송', 'हिन्दी', 'ไทย', '🚀🎉', '「」'])(
    '%s is drawn with letters, not with boxes',
    async text => {
      const picture = await draw(text)
      // A private character is in no font: it is a box.
      const boxes = await draw(text.replace(/\S/gu, '\ue000'))
      const other = await draw(text.replace(/\S/gu, '字'))
      expect(picture.equals(boxes)).toBe(false)
      expect(picture.equals(other)).toBe(false)
      expect(picture.equals(await draw(''))).toBe(false)
    },
  )

  test('takes the room that its letters need', () => {
    const [line] = wrapText('株'.repeat(100), { chars: 29, lines: 3 })
    expect(line).toHaveLength(18)
  })
})

test('a family of emoji is drawn as its parts', () => {
  expect(wrapText('🧑🏽‍🚀', { chars: 20, lines: 1 })).toEqual(['🧑🚀'])
})

test('a long title is cut to its lines, with an ellipsis', () => {
  const lines = wrapText('word '.repeat(100), { chars: 20, lines: 3 })
  expect(lines).toHaveLength(3)
  expect(lines.at(-1)).toMatch(/…$/)
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(20)
})
