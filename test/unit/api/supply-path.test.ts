import { expect, test } from 'vitest'
import { findSupplyPath, renderSupplyPath } from '../../../api/pages/parts/supply-path.tsx'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'

const AGENT = 'https://sales.seller.example/mcp'
const own = { file: 'https://news.example/.well-known/adagents.json', file_state: 'current' }
const managed = { file: 'https://network.example/.well-known/adagents.json', file_state: 'stale' }

const granting: Evidence = {
  side: 'publisher',
  domain: 'news.example',
  ...own,
  rule: 'granted',
  says: 'match',
  text: 'this entry authorizes the agent',
}
const operating: Evidence = {
  side: 'operator',
  domain: 'seller.example',
  file: 'https://seller.example/.well-known/brand.json',
  file_state: 'failing',
  rule: 'not_declared',
  says: 'unknown',
  text: 'the operator does not declare any relationship with the property',
}

test('a path without a manager leads from the publisher to the agent, and to its operator', () => {
  const path = findSupplyPath([granting, operating], AGENT)
  expect(path?.nodes.map(({ role, name }) => `${role} ${name}`)).toEqual([
    'Publisher news.example',
    'Agent sales.seller.example',
    'Operator seller.example',
  ])
  expect(path?.edges.map(({ look, says, state }) => [look, says, state])).toEqual([
    ['good', 'authorizes', 'current'],
    ['none', 'operated by', 'failing'],
  ])
})

test('a file of another host is its manager’s, to which the publisher’s own file points', () => {
  const path = findSupplyPath([{ ...granting, ...managed, files: [own, managed] }], AGENT)
  expect(path?.nodes.map(({ role }) => role)).toEqual(['Publisher', 'Manager', 'Agent'])
  expect(path?.edges).toEqual([
    { look: 'good', says: 'points to', file: own.file, state: 'current' },
    { look: 'good', says: 'authorizes', file: managed.file, state: 'stale' },
  ])
})

test('one entry that grants is enough, and an operator that denies it is shown', () => {
  const refusing: Evidence = { ...granting, says: 'mismatch', rule: 'country_not_listed' }
  const denying: Evidence = { ...operating, says: 'mismatch', rule: 'declared_otherwise' }
  const path = findSupplyPath([refusing, granting, operating, denying], AGENT)
  expect(path?.edges.map(({ look, says }) => [look, says])).toEqual([
    ['good', 'authorizes'],
    ['bad', 'contradicted by'],
  ])
})

test.each([
  [['DE', 'FR'], 'only in Germany, France'],
  [['DE', 'FR', 'GB'], 'only in 3 countries'],
])('an arrow names the countries %s, or counts them where it has no room', (countries, says) => {
  const limited: Evidence = {
    ...granting,
    says: 'unknown',
    rule: 'country_not_asked',
    countries,
  }
  expect(findSupplyPath([limited, operating], AGENT)?.edges[0]?.says).toBe(says)
})

test('nothing is drawn where the evidence names no publisher', () => {
  const { domain, ...nameless } = granting
  expect(domain).toBe('news.example')
  expect(findSupplyPath([nameless as Evidence], AGENT)).toBeUndefined()
  expect(findSupplyPath([], AGENT)).toBeUndefined()
})

test('the picture is a sentence for those who do not see it', () => {
  const path = findSupplyPath([{ ...granting, ...managed, files: [own, managed] }], AGENT)
  const html = renderSupplyPath(path!).toString()
  const [label] = html.match(/aria-label="[^"]*"/) ?? []
  expect(label).toBe(
    'aria-label="Publisher news.example; points to: manager network.example (adagents.json, current); ' +
      'authorizes: agent sales.seller.example (adagents.json, stale)"',
  )
})

test('a long name is broken at a dot, and never longer than two lines', () => {
  const domain = 'a-very-long-name-of-a-newspaper.and-more.of-it.example'
  const html = renderSupplyPath(findSupplyPath([{ ...granting, domain }], AGENT)!).toString()
  const lines = [...html.matchAll(/class="name"[^>]*>([^<]*)</g)].map(([, text]) => text)
  expect(lines.slice(0, 3)).toEqual([
    'a-very-long-name-of-a-',
    'newspaper.and-more.of-it.exam…',
    'sales.seller.example',
  ])
})

test('each party leads to its page', () => {
  const path = findSupplyPath(
    [{ ...granting, ...managed, files: [own, managed] }, operating],
    AGENT,
  )
  expect(path?.nodes.map(({ path }) => path)).toEqual([
    '/publisher/news.example',
    '/publisher/network.example',
    `/agent/${encodeURIComponent(AGENT)}`,
    '/brand/seller.example',
  ])
})
