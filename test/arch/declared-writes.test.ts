import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folders = ['search', 'serving', 'store', 'writer']
/** Its files write files of DuckDB, before anybody else opens them, or every table. */
const exempt = 'store/columnar/'

test('a statement of the index declares the table that it writes', () => {
  const files = folders.flatMap(folder =>
    readdirSync(`pipeline/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => `${folder}/${name}`),
  )
  expect(files).toContain('writer/crawl/crawl-state.ts')
  const undeclared = files.filter(
    file =>
      !file.startsWith(exempt) &&
      /(?<!accounts\.)\b(?:db|index)\.run\(|runTemporary\(\s*[`'"]\s*(?:insert|update|delete)/.test(
        readFileSync(`pipeline/${file}`, 'utf8'),
      ),
  )
  expect(undeclared).toEqual([])
})
