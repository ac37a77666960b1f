import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Domain } from '../../../pipeline/core/domain.ts'
import {
  describeExamples,
  describeFound,
  describeUnreached,
} from '../../../scripts/commands/start-output.ts'

const found = (...outcomes: [outcome: string, files: number][]) =>
  outcomes.map(([outcome, files]) => ({ kind: 'brand.json', outcome, files }))

describe('a crawl that reached no server', () => {
  it('says so and why, the most common reason first', () => {
    const text = describeUnreached(300, found(['timeout', 8], ['dns_failed', 592]))
    expect(text).toContain('none of the 300 domains could be reached')
    expect(text).toMatch(
      /the name does not resolve \(dns_failed, 592 files\);.*\(timeout, 8 files\)/,
    )
  })

  it('is not reported where any server answered, though with nothing usable', () => {
    expect(describeUnreached(300, found(['dns_failed', 599], ['absent', 1]))).toBeUndefined()
    expect(describeUnreached(300, found(['timeout', 1], ['server_error', 1]))).toBeUndefined()
  })

  it('is not reported before any file was tried', () => {
    expect(describeUnreached(300, [])).toBeUndefined()
  })
})

test('one of each is counted in the singular', () => {
  const totals = { brands: 1, publishers: 1, properties: 1, authorizations: 1, agents: 1 }
  const summary = { ...totals, waiting: 0, faults: [], outcomes: found(['ok', 1]) }
  expect(describeFound(1, summary)).toEqual([
    'crawled 1 domain (1 file); the index has 1 brand, 1 publisher, 1 property, 1 authorization, 1 agent',
  ])
})

test('domains of which no file was due are told how to be crawled at once', () => {
  const totals = { brands: 1, publishers: 1, properties: 1, authorizations: 1, agents: 1 }
  const summary = { ...totals, waiting: 0, faults: [], outcomes: [] }
  expect(describeFound(2, summary)).toEqual([
    expect.stringMatching(
      /^2 domains: no file was due \(.*`registry crawl` reads files at once\); /,
    ),
  ])
})

test('pages worth opening are of the domains of the registry, and of no other', () => {
  const url = 'http://127.0.0.1:3000'
  expect(describeExamples(url, 'acme.example' as Domain).join('\n')).toContain(
    `${url}/publisher/acme.example `,
  )
  expect(describeExamples(url, 'demo').join('\n')).toContain('northfield-times.example')
  const none = describeExamples(url, undefined)
  expect(none.join('\n')).not.toContain('example')
  expect(none[0]).toBe('Pages worth opening:')
  expect(none.at(-1)).toBe('Ready. Press Ctrl-C to stop.')
})

test('no command puts a number before a plural by itself', () => {
  const folder = join(import.meta.dirname, '../../../scripts/commands')
  const counted =
    /\$\{[^}A-Z]*\} (?:agents|authorizations|brands|commits|domains|events|files|grants|jobs|losses|members|properties|publishers|rows)\b/g
  const found = readdirSync(folder).flatMap(name =>
    (readFileSync(join(folder, name), 'utf8').match(counted) ?? []).map(text => `${name}: ${text}`),
  )
  expect(found).toEqual([])
})
