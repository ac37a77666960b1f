import { expect, test } from 'vitest'
import { completeSentence } from '../../../pipeline/core/error-sentence.ts'

test.each([
  ['the body must be application/json', 'The body must be application/json.'],
  ['nobody: nothing', 'Nobody: nothing.'],
  ['acme.example is blocked', 'acme.example is blocked.'],
  ['https://agent.example/mcp is public', 'https://agent.example/mcp is public.'],
  ['https://agent.example', 'https://agent.example.'],
  ['gdpr_2 waits for review', 'gdpr_2 waits for review.'],
])('a sentence begins with a capital, but no URL, domain or code: %s', (text, sentence) => {
  expect(completeSentence(text)).toBe(sentence)
})
