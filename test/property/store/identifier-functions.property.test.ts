import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Identifier } from '../../../pipeline/model/documents/index.ts'
import { normalizeIdentifier, toIdentifierKey } from '../../../pipeline/resolve/identifiers.ts'
import { Sqlite } from '../../../pipeline/store/sqlite.ts'

const db = Sqlite.open(':memory:')
afterAll(() => db.close())

const parts = ['www.', 'm.', '*.', 'https://', 'é', 'acme', 'B', '.', '/', ' ', '@', '"', 'co.uk']
const values = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...parts)).map(chosen => chosen.join('')),
)
const types = fc.constantFrom('domain', 'subdomain', 'ios_bundle', 'rss_url', 'youtube_channel_url')
const identifiers = fc.array(fc.record({ type: types, value: values }))

test('analysts compare identifiers as lookups do', () => {
  fc.assert(
    fc.property(identifiers, list => {
      const written = JSON.stringify(list)
      const { keys } = db.oneOrThrow<{ keys: string }>(
        'select coalesce(identifier_keys($written), $written) as keys',
        { written },
      )
      const shown = (JSON.parse(keys) as Identifier[]).map(({ type, value }) => `${type}:${value}`)
      expect(shown).toEqual(list.map(toIdentifierKey))
    }),
  )
})

test('a domain that a brand declares is compared as a domain', () => {
  fc.assert(
    fc.property(values, value => {
      const { key } = db.oneOrThrow<{ key: string }>(
        "select coalesce(identifier_key('website', null, $value), $value) as key",
        { value },
      )
      expect(key).toBe(normalizeIdentifier({ type: 'domain', value }).value.toLowerCase())
    }),
  )
})
