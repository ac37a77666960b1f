import { expect, test } from 'vitest'
import { assertCrawlerAnswers, describeProgress } from '../../../scripts/commands/progress.ts'

const found = { brands: 0, publishers: 0, properties: 0, authorizations: 0, agents: 0, faults: [] }

test('a line of progress groups the digits of all its counts', () => {
  const outcomes = [
    { kind: 'brand.json', outcome: 'ok', files: 1_242 },
    { kind: 'adagents.json', outcome: 'absent', files: 12 },
  ]
  const line = describeProgress(
    { ...found, waiting: 1_000, outcomes },
    { rate: 76.4, leftS: 14, idleS: 0 },
  )
  expect(line).toBe('crawled 1,254 of 2,254 files, 76/s, about 14 s left: 1,242 read, 12 not found')
})

test('a line of progress ends with what it knows, before the first file is done', () => {
  const line = describeProgress(
    { ...found, waiting: 1_204, outcomes: [] },
    { rate: 0, leftS: undefined, idleS: 5 },
  )
  expect(line).toBe('crawled 0 of 1,204 files, 0/s, no response for 5 s')
})

test('a line of progress names the crawler once no host can be what takes so long', () => {
  const left = { ...found, waiting: 2, outcomes: [] }
  const slow = { rate: 0, leftS: undefined, idleS: 14 }
  expect(describeProgress(left, slow)).toMatch(/waiting for 2 slow responses$/)
  expect(describeProgress(left, { ...slow, idleS: 59 })).toMatch(/no response for 59 s$/)
  expect(describeProgress(left, { ...slow, idleS: 60 })).toMatch(
    /no crawler has answered for 60 s$/,
  )
})

test('a crawl without a crawler ends after ten minutes', () => {
  assertCrawlerAnswers(599)
  expect(() => assertCrawlerAnswers(600)).toThrow(
    'no crawler has answered for 10 minutes: check the role `crawler`',
  )
})
