import { describe, expect, it, test } from 'vitest'
import { readHomePage } from '../../../pipeline/crawl/home-page.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'

const url = 'https://acme.example/en/'
const ld = (data: unknown) =>
  `<script type="application/ld+json">${typeof data === 'string' ? data : JSON.stringify(data)}</script>`
const company = (more: object) => ld({ '@type': 'Organization', name: 'Acme', ...more })
const read = (html: string) => readHomePage(html, url)
const readProfile = (html: string) => read(html)?.profile

describe('the name of a brand', () => {
  test.each<[string, string, string | undefined]>([
    [
      'its linked data',
      `<title>T</title><meta property="og:site_name" content="S">${company({})}`,
      'Acme',
    ],
    [
      'the name of the site',
      '<title>T</title><meta property="og:site_name" content=" S &amp; Co ">',
      'S & Co',
    ],
    [
      'the name of the application',
      '<title>T</title><meta name="Application-Name" content="App">',
      'App',
    ],
    ['its site in a graph', ld({ '@graph': [{ '@type': 'WebSite', name: 'Site' }] }), 'Site'],
    [
      'who publishes its site',
      ld([{ '@type': 'WebSite', publisher: { '@type': ['Thing', 'Corporation'], name: 'Corp' } }]),
      'Corp',
    ],
    ['the title without what follows', '<title>\n Acme | Anvils and more </title>', 'Acme'],
    ['the title, also one with a dash', '<title>Coca-Cola</title>', 'Coca-Cola'],
    ['nobody, when the page is silent', '<h1>Hello</h1>', undefined],
    ['nobody, when there is no page', '', undefined],
    ['nobody, by a title in a script', '<script>"<title>Acme</title>"</script>', undefined],
    ['nobody, by a title in a comment', '<!-- <title>Acme</title> -->', undefined],
    [
      'nobody, by linked data that is not JSON',
      ld('{"@type":"Organization","name":"Acme"'),
      undefined,
    ],
  ])('is read from %s', (_name, html, expected) => {
    expect(readProfile(html)?.name).toBe(expected)
  })

  it('is read in full from a typical company page', () => {
    const html = [
      '<!doctype html><html><head><title>Acme - Home</title>',
      '<meta name="description" content="  Anvils\nfor all ">',
      '<meta name="theme-color" content="#a0f"><link rel="icon" href="favicon.ico">',
      '<link rel="apple-touch-icon-precomposed" href="/touch.png"><link rel=manifest href=/app.json>',
      company({
        legalName: 'Acme Ltd',
        slogan: 'Heavy',
        tone: 'Dry',
        logo: { '@type': 'ImageObject', url: 'https://cdn.example/logo.svg' },
        sameAs: ['https://social.example/acme', 'http://plain.example', 'javascript:alert(1)'],
        foundingDate: '1949-09-17',
        numberOfEmployees: { value: 12 },
        address: [
          { addressLocality: 'Tucson', addressCountry: { name: 'US' }, streetAddress: 'Main 1' },
        ],
        founder: { '@type': 'Person', name: 'Ann Example' },
        email: 'ann@acme.example',
      }),
      '</head><body></body></html>',
    ]
    const page = read(html.join('\n'))
    expect(page).toEqual({
      profile: {
        name: 'Acme',
        url: 'https://acme.example/',
        description: 'Anvils for all',
        tagline: 'Heavy',
        tone: 'Dry',
        logos: [
          { url: 'https://cdn.example/logo.svg', tags: ['logo'] },
          { url: 'https://acme.example/en/favicon.ico', tags: ['icon'] },
          { url: 'https://acme.example/touch.png', tags: ['icon'] },
        ],
        colors: { primary: '#AA00FF' },
        social: ['https://social.example/acme'],
      },
      company: { name: 'Acme Ltd', employees: '12', founded: 1949, location: 'Tucson, US' },
      manifestUrl: 'https://acme.example/app.json',
    })
    expect(JSON.stringify(page)).not.toMatch(/Ann|Main 1/)
  })
})

describe('addresses', () => {
  const logos = (href: string, before = '') =>
    readProfile(`${before}<title>A</title><link rel="shortcut icon" href="${href}">`)?.logos
  test.each<[string, string | undefined]>([
    ['/a.png', 'https://acme.example/a.png'],
    ['../a.png', 'https://acme.example/a.png'],
    ['//cdn.example/a.png', 'https://cdn.example/a.png'],
    [' HTTPS://CDN.example/A.png ', 'https://cdn.example/A.png'],
    ['http://acme.example/a.png', undefined],
    ['javascript:alert(1)', undefined],
    ['JaVa\nScRiPt:alert(1)', undefined],
    ['data:image/png;base64,AAAA', undefined],
    ['file:///etc/passwd', undefined],
    ['blob:https://acme.example/1', undefined],
    ['https://user:word@acme.example/a.png', undefined],
    ['https://', undefined],
    [`/${'a'.repeat(3_000)}`, undefined],
  ])('%s', (href, expected) => {
    expect(logos(href)?.[0]?.url).toBe(expected)
  })

  it('resolve against the base of the page, if that is https', () => {
    expect(logos('a.png', '<base href="https://cdn.example/x/">')?.[0]?.url).toBe(
      'https://cdn.example/x/a.png',
    )
    expect(logos('a.png', '<base href="javascript:x">')?.[0]?.url).toBe(
      'https://acme.example/en/a.png',
    )
  })

  it('in quoted attributes end no tag', () => {
    const html =
      '<p class=it\'s><title>A</title><meta name="description" content = "1 > 0"><meta name=x content=\'"\'>'
    expect(readProfile(html)?.description).toBe('1 > 0')
  })

  it('of one logo count once, and the first twenty of many', () => {
    const link = (name: number) => `<link rel="icon" href="/${name}.png">`
    const many = Array.from({ length: 100 }, (_, i) => link(i % 50)).join('')
    expect(readProfile(`<title>A</title>${many}`)?.logos).toHaveLength(20)
  })
})

describe('colors', () => {
  test.each([
    ['#abc', '#AABBCC'],
    [' #A1b2C3 ', '#A1B2C3'],
    ['red', undefined],
    ['url(javascript:1)', undefined],
    ['#12345', undefined],
  ])('%s', (color, expected) => {
    const profile = readProfile(`<title>A</title><meta name="theme-color" content="${color}">`)
    expect(profile?.colors?.primary).toBe(expected)
  })
})

describe('a hostile page', () => {
  it('cannot set a prototype', () => {
    const html = [
      '<title>A</title><meta __proto__="x" name="__proto__" content="x">',
      ld(
        '{"__proto__":{"@type":"Organization","name":"Evil"},"constructor":{"prototype":{"polluted":1}}}',
      ),
    ]
    expect(readProfile(html.join(''))).toEqual({ name: 'A', url: 'https://acme.example/' })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('passes on no control characters and no long texts', () => {
    const name = `<b>A\u0000\u202e${'x'.repeat(5_000)}`
    const profile = readProfile(company({ name, slogan: 'a\r\n\u2028b' }))
    expect(profile?.name.length).toBe(200)
    expect(profile?.name.startsWith('<b>Ax')).toBe(true)
    expect(profile?.tagline).toBe('a b')
  })

  const megabytes = 2 * 1024 * 1024
  const fill = (unit: string) => unit.repeat(Math.floor(megabytes / unit.length))
  test.each<[string, string]>([
    ['of nothing but open tags', fill('<div>')],
    ['of closing tags that nothing opened', fill('<i></b></p>')],
    ['of open tags that are closed in the wrong order', fill('<a><b></a>')],
    ['of paragraphs in formatting', fill('<p><b><i>')],
    ['of a tag that never ends', `<meta ${fill('a ')}`],
    [
      'of attributes',
      `<meta ${fill('a="1" ')
        .replace(/a=/g, () => `a${Math.random()}=`)
        .slice(0, megabytes)}>`,
    ],
    ['of angle brackets', fill('<')],
    ['of entities', `<title>${fill('&amp;')}`],
    ['of comments', fill('<!--')],
    ['of a script that never ends', `<script type="application/ld+json">${fill('[')}`],
    ['of deep linked data', ld('['.repeat(100_000) + ']'.repeat(100_000))],
    ['of wide linked data', ld(`[${'{"@type":"Organization"},'.repeat(40_000)}{}]`)],
    ['of icons', fill('<link rel=icon href=/a>')],
    ['of tables', fill('<table><td>')],
    ['of titles', fill('<title>a</title>')],
    ['of quotes', `<meta content="${fill("'>")}`],
    ['of scripts', fill('<script></script>')],
    ['of half characters', fill('\ud800')],
  ])('%s is read in bounded time', async (_name, html) => {
    let page: ReturnType<typeof read>
    const ms = await measureCpuMs(() => {
      page = read(`<title>Acme</title>${html}`)
    })
    expect(ms).toBeLessThan(5_000)
    expect(page?.profile.name).toBe('Acme')
  })
})
