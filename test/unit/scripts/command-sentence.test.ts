import { expect, test } from 'vitest'
import { toCommandSentence } from '../../../scripts/command-line/command-sentence.ts'

test.each([
  ['a text', 'there is no folder /nowhere', 'There is no folder /nowhere.'],
  ['a whole sentence', 'Did you mean acme.example?', 'Did you mean acme.example?'],
  ['a domain', 'acme.example was taken down', 'acme.example was taken down.'],
  ['a name that was typed', 'ada does not belong to Acme', 'ada does not belong to Acme.'],
  ['the first word of a typed name', 'acme is not a member', 'acme is not a member.'],
  ['a field', 'url: must be an address', '`url` must be an address.'],
])('a command says %s as a sentence', (_, text, sentence) => {
  const typed = ['org', 'user', 'remove', 'ada', '--org', 'acme media']
  expect(toCommandSentence(text, typed)).toBe(sentence)
})
