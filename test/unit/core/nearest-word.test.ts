import { expect, test } from 'vitest'
import { findNearestWord } from '../../../pipeline/core/nearest-word.ts'

const members = [
  'authorized_agents',
  'authorized_for',
  'properties',
  'property_ids',
  'url',
  'colors',
]

test.each([
  ['letters in another order', 'autohrized_agents', 'authorized_agents'],
  ['a letter too few', 'authorized_agnts', 'authorized_agents'],
  ['capitals', 'Properties', 'properties'],
  ['capitals within', 'authorizedAgents', 'authorized_agents'],
  ['British spelling', 'authorised_agents', 'authorized_agents'],
  ['British spelling of another kind', 'colours', 'colors'],
  ['a hyphen', 'authorized-for', 'authorized_for'],
  ['the singular', 'property_id', 'property_ids'],
  ['the singular of an irregular word', 'property', 'properties'],
  ['a short word', 'ulr', 'url'],
  ['several at once', 'Authorised-Agent', 'authorized_agents'],
])('a word with %s is recognized', (_, word, meant) => {
  expect(findNearestWord(word, members)).toBe(meant)
})

test.each(['', 'x', 'ext', 'house', 'x'.repeat(10_000), '__proto__'])('%s is near none', word => {
  expect(findNearestWord(word, members)).toBeUndefined()
})

test('of several near words the nearest is found', () => {
  expect(findNearestWord('mobile_ap', ['mobile_web', 'mobile_app'])).toBe('mobile_app')
})
