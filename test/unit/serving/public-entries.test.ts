import { describe, expect, it } from 'vitest'
import { toJsonValue } from '../../../pipeline/serving/document-value.ts'
import { toPublicEntry } from '../../../pipeline/serving/public-entries.ts'

describe('what leaves the host', () => {
  it.each([
    ['live', { brand_name: 'Acme' }],
    ['pending', null],
    ['rejected', null],
    ['withdrawn', null],
  ])('holds the content of a revision that was %s: %o', (status, expected) => {
    const value = toJsonValue({ status, content: { brand_name: 'Acme' } })
    const shown = toPublicEntry({ space: 'revision_content', key: 'brand:acme.example:1', value })
    expect(JSON.parse(shown!.value!.toString())).toEqual({ status, content: expected })
  })

  it('tells that content was removed', () => {
    const entry = {
      space: 'revision_content',
      key: 'brand:acme.example:1',
      value: undefined,
    } as const
    expect(toPublicEntry(entry)).toEqual(entry)
  })
})
