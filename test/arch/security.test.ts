import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listTitles, root } from './titles.ts'

const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const named = [...page.matchAll(/`(test\/[^`]+)` “([^”]+)”/g)].map(([, file, title]) => ({
  file: file!,
  title: title!,
}))
const rows = page.split('\n').filter(line => /^\| (?!threat |what is accepted |---)/.test(line))

describe('SECURITY.md', () => {
  test('names a test for every threat', () => {
    expect(rows.length).toBeGreaterThan(30)
    expect(rows.filter(row => !/`test\/[^`]+` “[^”]+” (?:\||.*\|)$/.test(row))).toEqual([])
  })

  test.each(named)('$file has the test “$title”', ({ file, title }) => {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(listTitles(file)).toContain(title)
  })

  test('leaves out no test of hostile use', () => {
    const hostile = readdirSync(join(root, 'test/api')).filter(name => name.startsWith('hostile-'))
    const files = new Set(named.map(({ file }) => file))
    expect(hostile.filter(name => !files.has(`test/api/${name}`))).toEqual([])
  })

  test('a test that is not there would be found', () => {
    expect(listTitles('test/arch/security.test.ts')).toContain('names a test for every threat')
    expect(listTitles('test/arch/security.test.ts')).not.toContain('names no test')
  })
})
