import { expect, test } from 'vitest'
import { splitLead } from '../../../api/pages/parts/split-lead.ts'
import { listStoryboards, readStoryboard } from '../../../pipeline/storyboards/catalog.ts'

test.each([
  ['A refusal', 'A refusal', ''],
  ['Return a brand\nthat is known.', 'Return a brand that is known.', ''],
  ['Return a tag. The output\nhas:\n- a script', 'Return a tag.', 'The output has:\n\n- a script'],
  ['Return media buys with:\n- a cursor', 'Return media buys with…', '- a cursor'],
  ['Return it, e.g. A or\nB.\n\nThen stop.', 'Return it, e.g. A or B.', 'Then stop.'],
  ['Return one of\n\nBoth are fine.', 'Return one of…', 'Both are fine.'],
])('the lead of %j is a whole sentence, or ends in an ellipsis', (text, lead, rest) => {
  expect(splitLead(text)).toEqual({ lead, rest })
})

test('a lead that is too long is cut between words, and the rest is the whole text', () => {
  const text = `${'word '.repeat(60)}end.`
  const { lead, rest } = splitLead(text)
  expect(lead).toMatch(/^(?:word )+word…$/)
  expect(lead.length).toBeLessThanOrEqual(200)
  expect(rest).toBe(text)
})

test('every expected answer that is folded shows a whole sentence, or says that it goes on', () => {
  const folded = listStoryboards()
    .flatMap(entry => readStoryboard(entry).phases.flatMap(({ steps }) => steps))
    .map(({ expected }) => splitLead(expected ?? ''))
    .filter(({ rest }) => rest !== '')
  expect(folded.length).toBeGreaterThan(100)
  expect(folded.filter(({ lead }) => !/[.!?…]$/.test(lead))).toEqual([])
})
