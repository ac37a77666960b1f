import { expect, test } from 'vitest'
import { buildCsvCell } from '../../../api/pages/browser/csv-cells.ts'
import { Database } from '../../../pipeline/store/columnar/duckdb.ts'

/** Selects one value as the page writes it into a cell of CSV. */
async function writeCell(sql: string): Promise<unknown> {
  const db = await Database.open(':memory:')
  try {
    const value = `(select ${sql} as "a ""cell""")`
    const described = await db.oneOrThrow<{ column_type: string }>(`describe from ${value}`)
    const cell = buildCsvCell({ name: 'a "cell"', type: described.column_type })
    return (await db.oneOrThrow<Record<string, unknown>>(`select ${cell} from ${value}`))[
      'a "cell"'
    ]
  } finally {
    db.close()
  }
}

test.each([
  [
    "[{'type': 'domain', 'value': 'acme.example'}, null]",
    [{ type: 'domain', value: 'acme.example' }, null],
  ],
  ["[' a', null, '']", [' a', null, '']],
  ['[]::varchar[]', []],
  ["[['x, y'], []]", [['x, y'], []]],
  ['[1, -2.5]', [1, -2.5]],
  ['[1, 2]::int[2]', [1, 2]],
  ['map {\'a "b"\': [true, null]}', { 'a "b"': [true, null] }],
  ["{'it''s': 1, 'with space': {'n': null::int[]}}", { "it's": 1, 'with space': { n: null } }],
  ["['li' || chr(10) || 'ne \\ \"é\"' || chr(9)]", ['li\nne \\ "é"\t']],
  ["{'e': 'x'::enum('x', 'it''s, \"('), 'day': date '2026-11-20'}", { e: 'x', day: '2026-11-20' }],
])('the CSV of /sql has %s as JSON', async (sql, value) => {
  expect(JSON.parse(String(await writeCell(sql)))).toEqual(value)
})

test.each([
  ["'=1+1'", "'=1+1"],
  ["'-acme'", "'-acme"],
  ['-1', '-1'],
  ['null::varchar[]', null],
  ['true', 'true'],
  ["'[x]'", '[x]'],
])('the CSV of /sql has %s as %s', async (sql, value) => {
  expect(await writeCell(sql)).toBe(value)
})
