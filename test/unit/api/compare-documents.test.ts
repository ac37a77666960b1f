import { expect, test } from 'vitest'
import { compareDocuments, compareFiles } from '../../../api/pages/parts/compare-documents.ts'

test.each<[string, unknown, unknown, [string, string | undefined, string | undefined][]]>([
  [
    'values of a list are one field, with only what came and went',
    { tags: ['news', 'sports'] },
    { tags: ['local', 'news', 'video'] },
    [['tags', '"sports"', '"local", "video"']],
  ],
  [
    'a list that is only reordered is shown whole',
    { tags: ['a', 'b'] },
    { tags: ['b', 'a'] },
    [['tags', '["a","b"]', '["b","a"]']],
  ],
  [
    'an item is found by its id wherever it stands',
    { properties: [{ property_id: 'site', name: 'Site' }] },
    {
      properties: [
        { property_id: 'app', name: 'App' },
        { property_id: 'site', name: 'Herald' },
      ],
    },
    [
      ['properties.app', undefined, '{"property_id":"app","name":"App"}'],
      ['properties.site.name', '"Site"', '"Herald"'],
    ],
  ],
  [
    'items without ids are compared by their places',
    { names: [{ en: 'Acme' }, { de: 'Akme' }] },
    { names: [{ en: 'Acme' }] },
    [['names.1', '{"de":"Akme"}', undefined]],
  ],
  [
    'what is gone comes last',
    { old: 1, same: 2 },
    { same: 2, now: 3 },
    [
      ['now', undefined, '3'],
      ['old', '1', undefined],
    ],
  ],
  ['a value instead of a list is one change', { a: ['x'] }, { a: 'x' }, [['a', '["x"]', '"x"']]],
])('%s', (_, before, after, expected) => {
  const changes = compareDocuments(before, after)
  expect(changes.map(({ path, before, after }) => [path, before, after])).toEqual(expected)
})

test('the time of the last change is no change of a file', () => {
  expect(compareFiles({ a: 1, last_updated: 'x' }, { a: 1, last_updated: 'y' })).toEqual([])
})
