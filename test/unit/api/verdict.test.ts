import { expect, test } from 'vitest'
import { findSupplyPath } from '../../../api/pages/parts/supply-path.tsx'
import {
  describeNeeded,
  describePart,
  describeVerdict,
  formatVerdict,
} from '../../../api/pages/parts/verdict.tsx'
import { publisherTexts } from '../../../api/responses/evidence.ts'
import { type OperatorRule, operatorTexts } from '../../../pipeline/model/operator-side.ts'
import type { Evidence } from '../../../pipeline/model/responses/authority.ts'
import { judgePublisherSide, type PublisherRule } from '../../../pipeline/resolve/authority.ts'

const NOW = '2026-11-28T06:00:00.000Z'

const publisherStep = (rule: PublisherRule, more: Partial<Evidence> = {}): Evidence => ({
  side: 'publisher',
  domain: 'times.example',
  rule,
  says: judgePublisherSide(rule),
  text: publisherTexts[rule],
  ...more,
})

const operatorStep = (rule: OperatorRule, says: Evidence['says']): Evidence => ({
  side: 'operator',
  rule,
  says,
  text: operatorTexts[rule],
})

const ended = { effective_until: '2020-12-31T00:00:00.000Z' }
const coming = { effective_from: '2027-01-15T00:00:00.000Z' }
const contradicted = [publisherStep('granted'), operatorStep('declared_otherwise', 'mismatch')]

test.each<[headline: string, evidence: Evidence[]]>([
  [
    'No. The file has no entry that authorizes this agent for this publisher',
    [publisherStep('agent_not_listed')],
  ],
  ['No. The authorization ended on 31 Dec 2020', [publisherStep('not_in_window', ended)]],
  ['No. The authorization starts on 15 Jan 2027', [publisherStep('not_in_window', coming)]],
  ['No. The entry doesn’t cover that country', [publisherStep('country_not_listed')]],
  ['No. The publisher and the operator disagree', contradicted],
  ['Unknown. The registry has no valid file from the publisher', [publisherStep('file_not_known')]],
])('the headline says who decided, and when: %s', (headline, evidence) => {
  const [publisher, operator] = evidence
  const sides = { publisher: publisher!.says, operator: operator?.says ?? 'unknown' } as const
  const judged = describeVerdict({ authorized: false, confirmed: false, sides }, evidence, NOW)
  expect(formatVerdict(judged)).toBe(headline)
})

test('a publisher that authorizes some countries says neither yes nor no', () => {
  const step = publisherStep('country_not_asked', { countries: ['JP', 'KR'] })
  expect(describeNeeded(step)?.long).toBe('only in Japan and South Korea')
  const path = findSupplyPath([step], 'https://sales.example/mcp')
  expect(path?.edges).toMatchObject([{ look: 'fair', says: 'only in Japan, South Korea' }])
  expect(describeNeeded(publisherStep('country_not_listed'))).toBeUndefined()
})

test.each<[headline: string | undefined, count: number, evidence: Evidence[]]>([
  [undefined, 2, [publisherStep('granted')]],
  [undefined, 0, [publisherStep('agent_not_listed')]],
  ['Partly. 1 of 2 properties', 1, [publisherStep('granted')]],
  [
    'Partly. 1 of 2 properties, only in Germany and the United Kingdom',
    1,
    [publisherStep('granted', { countries: ['DE', 'GB'] })],
  ],
  [
    'Partly. Only with some collections',
    2,
    [publisherStep('granted', { collection_ids: ['news'] })],
  ],
  [undefined, 2, [publisherStep('granted', { countries: ['DE'] }), publisherStep('granted')]],
  [
    'Partly. Some with limits',
    2,
    [
      publisherStep('granted', { property_rid: 'a', countries: ['DE'] }),
      publisherStep('granted', { property_rid: 'b' }),
    ],
  ],
])('a grant of less than everything, everywhere, is no plain yes: %s', (headline, count, steps) => {
  const answer = { authorized: count, total: 2, publisher_wide: count === 2 }
  const judged = describePart(answer, steps)
  expect(judged && formatVerdict(judged)).toBe(headline)
})

test('no sentence of the evidence chains names of names, or says what follows twice', () => {
  for (const text of Object.values({ ...publisherTexts, ...operatorTexts }))
    expect(text).not.toMatch(/_|so this is unknown|grants .* nothing|the window of/)
})
