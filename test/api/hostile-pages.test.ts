import { type CheerioAPI, load } from 'cheerio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRegistry, type TestRegistry } from '../support/app.ts'
import { fillPages, pagePaths } from '../support/page-world.ts'

/** Texts that run, load or hide something where they are taken for more than text. */
const payloads = [
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  'javascript:alert(1)',
  '</style><style>*{display:none}</style>',
  '</title><svg onload=alert(1)>',
  '" onmouseover="alert(1)" style="position:fixed',
  '--><script src=https://evil.example/x.js></script>',
  'https://evil.example/logo.png" onerror="alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202egpj.exe<base href=https://evil.example/>',
]

/** Elements of pages; whatever else a page has was slipped in. */
const elements = new Set(
  `html head body title meta link script header main footer nav section article h1 h2 h3 p a ul ol li dl dt dd
  div span strong code pre bdi time form label input button select option table caption thead tbody tr
  th td details summary figure figcaption img svg g rect path text search`.split(/\s+/),
)
const ADDRESSES = ['href', 'src', 'action', 'content']

/** Lists what a browser would run or load of a page beside what this server sends itself. */
function listFaults(page: CheerioAPI): string[] {
  const faults: string[] = []
  for (const element of page('*').toArray()) {
    const { name, attribs } = element as unknown as {
      name: string
      attribs: Record<string, string>
    }
    if (!elements.has(name)) faults.push(`<${name}>`)
    for (const attribute of Object.keys(attribs)) {
      if (/^on|^style$|^srcdoc$|^http-equiv$/i.test(attribute)) faults.push(`${name} ${attribute}`)
    }
    for (const attribute of ADDRESSES) {
      const value = attribs[attribute]
      if (value === undefined || (name === 'meta' && attribute === 'content')) continue
      if (!/^(?:\/(?!\/)|\?|#|https?:\/\/[^/])/.test(value)) faults.push(`${name} ${value}`)
      const loads = ['script', 'img', 'link', 'form'].includes(name) && attribs.rel !== 'canonical'
      if (loads && !value.startsWith('/')) faults.push(`${name} loads ${value}`)
    }
    if (name === 'script' && page(element).text() !== '') faults.push('an inline script')
  }
  return faults
}

describe.each(payloads)('a world whose every text is %j', payload => {
  let registry: TestRegistry

  beforeAll(async () => {
    registry = await openRegistry()
    await fillPages(registry, payload)
  })

  afterAll(() => registry.close())

  test.each([...pagePaths])('runs and loads nothing on %s', async path => {
    const answer = await registry.app.inject(path)
    expect(answer.statusCode).toBe(200)
    expect(listFaults(load(answer.body))).toEqual([])
  })

  test('stands as text where it is shown', async () => {
    const shown = payload.replaceAll('\u202e', '\ufffd')
    for (const path of ['/brand/acme.example', '/publisher/herald.example']) {
      const page = load((await registry.app.inject(path)).body)
      expect(page('main').text()).toContain(shown.slice(0, 60))
    }
  })

  test('runs and loads nothing where a caller sends it', async () => {
    const text = encodeURIComponent(payload)
    for (const path of [
      `/search?q=${text}`,
      `/brand/${text}`,
      `/publisher/${text}`,
      `/agent/${text}`,
      `/agent/${encodeURIComponent(`https://a.example/${payload}`)}`,
      `/authorization?agent=${encodeURIComponent('https://a.example/mcp')}&property=${text}&type=${text}`,
      `/authorization?agent=${text}&property=${text}&country=${text}`,
      `/authorization?agent=${encodeURIComponent('https://a.example/mcp')}&publisher=${text}`,
      `/changes?type=${text}`,
      `/changes?before=${text}`,
      `/policy/${text}`,
      `/policies?cursor=${text}`,
      `/file/brand.json/${text}`,
      `/file/${text}/a.example`,
      `/${text}`,
    ]) {
      const answer = await registry.app.inject({ url: path, headers: { accept: 'text/html' } })
      expect(answer.statusCode, path).toBeLessThan(500)
      if (!String(answer.headers['content-type']).startsWith('text/html')) continue
      expect(listFaults(load(answer.body)), path).toEqual([])
    }
  })
})

test('what is slipped into a page is found', () => {
  const page = load(
    '<html><body onload="x"><iframe></iframe><a href="javascript:x">x</a><img src="https://evil.example"></body></html>',
  )
  expect(listFaults(page)).toEqual([
    'body onload',
    '<iframe>',
    'a javascript:x',
    'img loads https://evil.example',
  ])
})
