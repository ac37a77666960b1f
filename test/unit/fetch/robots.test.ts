import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { getEffect } from '../../../pipeline/core/outcomes.ts'
import { isAllowed, parseRules } from '../../../pipeline/fetch/robots-rules.ts'
import { measureCpuMs } from '../../support/checks/measured-work.ts'
import type { Answer } from '../../support/servers/origin.ts'
import { testClock } from '../../support/worlds/clock.ts'
import {
  createFetcherTo,
  FILE_URL,
  fetchOptions,
  now,
  startOrigin,
  toOutcome,
} from '../../support/worlds/fetching.ts'

const product = 'AgenticAdRegistry'

/** Tells whether a robots.txt allows a path. */
function allowsPath(path: string, ...lines: string[]): boolean {
  const url = new URL(`https://acme.example${path}`)
  return isAllowed(parseRules(product, lines.join('\n')), url)
}

describe('what a robots.txt allows', () => {
  test.each<[string, boolean, string, string[]]>([
    ['nothing is said', true, '/a', []],
    ['everything is closed', false, '/a', ['User-agent: *', 'Disallow: /']],
    ['an empty rule closes nothing', true, '/a', ['User-agent: *', 'Disallow:']],
    ['another crawler is meant', true, '/a', ['User-agent: Other', 'Disallow: /']],
    ['we are meant, in any case', false, '/a', ['user-agent: agenticadregistry', 'disallow: /']],
    [
      'we are meant, with a version',
      false,
      '/a',
      ['User-agent: AgenticAdRegistry/1.0', 'Disallow: /'],
    ],
    [
      'a longer name is not ours',
      true,
      '/a',
      ['User-agent: AgenticAdRegistryImages', 'Disallow: /'],
    ],
    ['a shorter name is not ours', true, '/a', ['User-agent: Agentic', 'Disallow: /']],
    [
      'our own group replaces the general one',
      true,
      '/a',
      ['User-agent: *', 'Disallow: /', 'User-agent: AgenticAdRegistry', 'Disallow: /b'],
    ],
    [
      'also where it is empty',
      true,
      '/a',
      ['User-agent: AgenticAdRegistry', 'Disallow:', 'User-agent: *', 'Disallow: /'],
    ],
    [
      'our groups are one',
      false,
      '/b',
      [
        'User-agent: AgenticAdRegistry',
        'Disallow: /a',
        'User-agent: *',
        'Allow: /',
        'User-agent: AgenticAdRegistry',
        'Disallow: /b',
      ],
    ],
    [
      'a group has several names',
      false,
      '/a',
      ['User-agent: Other', 'User-agent: *', 'Disallow: /'],
    ],
    [
      'a name after a rule begins a group',
      true,
      '/a',
      ['User-agent: *', 'Allow: /', 'User-agent: Other', 'Disallow: /'],
    ],
    [
      'other lines are no rules',
      false,
      '/a',
      [
        'User-agent: *',
        'Crawl-delay: 10',
        'Sitemap: https://acme.example/map',
        'nonsense',
        'Disallow: /',
      ],
    ],
    ['rules before any name are nobody’s', true, '/a', ['Disallow: /']],
    [
      'comments and spaces are left out',
      false,
      '/a b',
      ['User-agent: * # all', ' Disallow : /a%20b # no'],
    ],
    [
      'the longest rule decides',
      true,
      '/a/b',
      ['User-agent: *', 'Allow: /a/', 'Disallow: /a', 'Disallow: /'],
    ],
    ['…also against us', false, '/a/b', ['User-agent: *', 'Disallow: /a/', 'Allow: /a']],
    ['of two as long the allowing one', true, '/a', ['User-agent: *', 'Allow: /a', 'Disallow: /a']],
    ['…in either order', true, '/a', ['User-agent: *', 'Disallow: /a', 'Allow: /a']],
    ['a star is anything', false, '/x/y.json', ['User-agent: *', 'Disallow: /*.json']],
    ['a star is also nothing', false, '/.json', ['User-agent: *', 'Disallow: /*.json']],
    ['stars in a row', false, '/a/b/c', ['User-agent: *', 'Disallow: /a**c']],
    ['stars keep their order', true, '/c/b/a', ['User-agent: *', 'Disallow: /*a*b*c']],
    ['an end', false, '/a.json', ['User-agent: *', 'Disallow: /*.json$']],
    ['an end that is not there', true, '/a.json?b', ['User-agent: *', 'Disallow: /*.json$']],
    ['an end without a star', true, '/ab', ['User-agent: *', 'Disallow: /a$']],
    ['an end that comes twice', false, '/a.json.json', ['User-agent: *', 'Disallow: /*.json$']],
    ['an end that overlaps', true, '/aba', ['User-agent: *', 'Disallow: /ab*ba$']],
    ['a dollar inside is a dollar', false, '/a$b', ['User-agent: *', 'Disallow: /a$b']],
    ['paths are compared with their case', true, '/A', ['User-agent: *', 'Disallow: /a']],
    ['escapes are compared without', false, '/%7ea%c3%a4', ['User-agent: *', 'Disallow: /~aä']],
    ['but a slash in disguise is another', true, '/a%2Fb', ['User-agent: *', 'Disallow: /a/b']],
    ['a query counts', false, '/a?b=1', ['User-agent: *', 'Disallow: /*?b=']],
    ['the file itself may be read', true, '/robots.txt', ['User-agent: *', 'Disallow: /']],
    ['a mark of byte order is skipped', false, '/a', ['\ufeffUser-agent: *', 'Disallow: /']],
  ])('%s', (_, expected, path, lines) => {
    expect(allowsPath(path, ...lines)).toBe(expected)
    expect(
      isAllowed(parseRules(product, lines.join('\r\n')), new URL(path, 'https://a.example')),
    ).toBe(expected)
  })

  it('equals the patterns as regular expressions', () => {
    const piece = fc.constantFrom('a', 'b', '*', '/')
    const pattern = fc.tuple(fc.array(piece, { maxLength: 8 }), fc.constantFrom('', '$'))
    const path = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 10 })
    fc.assert(
      fc.property(pattern, path, ([parts, end], letters) => {
        const rule = `/${parts.join('')}${end}`
        const { pathname } = new URL(`https://acme.example/${letters.join('')}`)
        const expression = new RegExp(
          `^${rule.replace(/\$$/, '').replaceAll('*', '.*')}${end === '$' ? '$' : ''}`,
        )
        expect(allowsPath(pathname, 'User-agent: *', `Disallow: ${rule}`)).toBe(
          !expression.test(pathname),
        )
      }),
    )
  })

  it('is decided in bounded time for any pattern', async () => {
    const pattern = `/${'*a'.repeat(5_000)}$`
    const path = `/${'a'.repeat(2_000)}b`
    expect(
      await measureCpuMs(() => allowsPath(path, 'User-agent: *', `Disallow: ${pattern}`)),
    ).toBeLessThan(500)
  })
})

const other = 'https://acme.example/.well-known/adagents.json'
const closed = 'User-agent: *\nDisallow: /.well-known/adagents.json\n'

async function fetchWithRobots(robots: Answer, policy: 'respect' | 'ignore' = 'respect') {
  const clock = testClock(now)
  const served = await startOrigin((request, response, path) => {
    if (path === '/robots.txt') robots(request, response, path)
    else if (path === '/moved') response.writeHead(302, { location: other }).end()
    else response.end('{}')
  })
  const fetcher = createFetcherTo(served.url, { robots: policy, clock })
  const get = (url: string) => fetcher.fetchDocument(url, { ...fetchOptions, obeysRobots: true })
  const robotsAsked = () => served.asked.filter(url => url.endsWith('/robots.txt')).length
  return { clock, served, fetcher, get, robotsAsked }
}

const says =
  (text: string): Answer =>
  (_, response) =>
    response.end(text)
const answers = (status: number, headers = {}): Answer => {
  return (_, response) => response.writeHead(status, headers).end('no')
}

describe('a crawler that respects robots.txt', () => {
  it('does not request closed paths', async () => {
    const { served, get } = await fetchWithRobots(says(closed))
    expect(await get(other)).toMatchObject({
      kind: 'failed',
      outcome: 'disallowed',
      detail: 'robots.txt disallows this file',
    })
    expect(toOutcome(await get(FILE_URL))).toBe('ok')
    expect(served.asked).toEqual(['acme.example/robots.txt', 'acme.example/.well-known/brand.json'])
  })

  it('reads it once a day per host, also with many requests at once', async () => {
    const { clock, get, robotsAsked } = await fetchWithRobots(says(closed))
    await Promise.all([FILE_URL, other, `${FILE_URL}?2`, `${FILE_URL}?3`].map(get))
    expect(robotsAsked()).toBe(1)
    await get('https://www.acme.example/')
    expect(robotsAsked()).toBe(2)
    clock.tick({ hours: 23 })
    await get(FILE_URL)
    expect(robotsAsked()).toBe(2)
    clock.tick({ hours: 2 })
    await get(FILE_URL)
    expect(robotsAsked()).toBe(3)
  })

  it('does not follow a redirect to a closed path', async () => {
    const { served, get } = await fetchWithRobots(says(closed))
    expect(toOutcome(await get('https://acme.example/moved'))).toBe('disallowed')
    expect(served.asked.at(-1)).toBe('acme.example/moved')
  })

  it.each([404, 410, 401, 403, 400])('may fetch everything where it answers %i', async status => {
    const { get } = await fetchWithRobots(answers(status))
    expect(toOutcome(await get(other))).toBe('ok')
  })

  it.each([
    [500, 'server_error'],
    [503, 'server_error'],
    [429, 'throttled'],
  ])('waits while it answers %i', async (status, outcome) => {
    const { clock, get, served, robotsAsked } = await fetchWithRobots(answers(status))
    expect(await get(other)).toMatchObject({ outcome, detail: `robots.txt: answered ${status}` })
    await get(other)
    expect([robotsAsked(), served.asked.length]).toEqual([1, 1])
    clock.tick({ minutes: 6 })
    await get(other)
    expect(robotsAsked()).toBe(2)
  })

  it('stays away while its content coding is unknown, and names it', async () => {
    const coded: Answer = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'aws-chunked' }).end(closed)
    const { get, served } = await fetchWithRobots(coded)
    expect(await get(other)).toMatchObject({
      outcome: 'undecodable',
      file: 'robots.txt',
      detail: 'robots.txt: answers with an unknown content coding “aws-chunked”',
    })
    expect(served.asked).toEqual(['acme.example/robots.txt'])
  })

  it('never takes its failure for that of the file: the file is read, or left open', async () => {
    for (const status of [200, 204, 301, 304, 400, 401, 403, 404, 408, 410, 429, 451, 500, 503]) {
      const { get } = await fetchWithRobots(answers(status))
      const got = await get(other)
      if (got.kind === 'failed') expect(getEffect(got.outcome)).toBe('unreachable')
    }
  })

  it('follows its redirects, and treats a loop as absent', async () => {
    const { get } = await fetchWithRobots((_, response) => {
      response.writeHead(301, { location: 'https://www.nova.example/rules' }).end()
    })
    expect(toOutcome(await get(other))).toBe('ok')
    const circle = await fetchWithRobots(answers(301, { location: '/robots.txt' }))
    expect(toOutcome(await circle.get(other))).toBe('ok')
  })

  it('stays away from a host whose file is too large', async () => {
    const endless = await fetchWithRobots(says(`User-agent: *\n${'Allow: /a\n'.repeat(100_000)}`))
    expect(toOutcome(await endless.get(other))).toBe('disallowed')
    const long = await fetchWithRobots(says(`User-agent: *\nDisallow: /${'a'.repeat(70_000)}`))
    expect(toOutcome(await long.get(other))).toBe('disallowed')
  })

  it('ignores it for requests that are no crawl, and where the settings say so', async () => {
    const { fetcher, robotsAsked } = await fetchWithRobots(says(closed))
    expect(toOutcome(await fetcher.fetchDocument(other, fetchOptions))).toBe('ok')
    expect(robotsAsked()).toBe(0)
    const ignoring = await fetchWithRobots(says(closed), 'ignore')
    expect(toOutcome(await ignoring.get(other))).toBe('ok')
    expect(ignoring.robotsAsked()).toBe(0)
  })
})
