import { expect, test } from 'vitest'
import { toFoundProperty } from '../../../pipeline/read/queries/properties.ts'

test.each([
  ['adagents_json', 'authoritative'],
  ['community', 'contributed'],
  ['enriched', 'enriched'],
])('a property from %s is shown as %s, whatever its name', (listed, found) => {
  const enrichment = {
    name: 'a "source":"community" or \\"source":"adagents_json"',
    tags: ['"source":"'],
  }
  const item = toFoundProperty(JSON.stringify({ ...enrichment, source: listed, verified: true }))
  expect(JSON.parse(item)).toEqual({ ...enrichment, source: found, verified: true })
})
