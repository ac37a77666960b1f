import { describe, expect, test } from 'vitest'
import { listTables, readTableFile } from '../../../pipeline/store/table-files.ts'
import { listTakedownRules } from '../../../pipeline/store/takedown-rules.ts'

const folders = ['tables', 'accounts'] as const
const tables = folders.flatMap(folder =>
  listTables(folder).map(name => ({ folder, ...readTableFile(folder, name) })),
)

/** Columns whose names say that they hold a domain, a URL or an agent. */
const PLACE = /(^|_)(domains?|urls?|location|subject|agents?)$/

describe('every table says what a takedown does to its rows', () => {
  test.each(folders)('in data/%s', folder => {
    expect(listTakedownRules(folder).length).toBeGreaterThan(15)
  })

  test('and names columns that it has', () => {
    for (const folder of folders)
      for (const { table, column } of listTakedownRules(folder)) {
        const file = tables.find(each => each.folder === folder && each.storedAs === table)
        expect(
          file?.columns.map(({ name }) => name),
          table,
        ).toContain(column)
      }
  })

  test('and none with a column for a domain, a URL or an agent says that it names no domain', () => {
    const silent = tables.filter(({ sql }) => /^-- takedown: .*names no domain$/m.test(sql))
    const placed = silent.filter(({ columns }) => columns.some(({ name }) => PLACE.test(name)))
    expect(silent.length).toBeGreaterThan(5)
    expect(placed.map(({ name }) => name)).toEqual([])
  })
})
