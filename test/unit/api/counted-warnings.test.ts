import { load } from 'cheerio'
import { expect, test } from 'vitest'
import { renderIssues } from '../../../api/pages/parts/faults.tsx'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'

const fault = { field: 'tags', message: 'is odd', severity: 'warning', code: 'unknown_member' }

test.each([
  ['paper.example', '/workshop?domain=paper.example&kind=adagents.json'],
  [
    'https://cdn.example/a.json',
    '/file/adagents.json/https%3A%2F%2Fcdn.example%2Fa.json /workshop',
  ],
])(
  'warnings of the file at %s that are only counted lead to where they are shown',
  (location, expected) => {
    for (const faults of [[], [fault]]) {
      const record = { faults, fault_count: faults.length } as never as FileRecord
      const counted = { errors: 0, warnings: 2 }
      const page = load(
        String(renderIssues({ kind: 'adagents.json', location } as never, record, { counted })),
      )
      const links = page('a')
        .toArray()
        .map(link => page(link).attr('href'))
      expect(links.join(' ')).toBe(expected)
    }
  },
)
