import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Lists the titles of the tests in a file, in any quotes. */
export function listTitles(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const called = /(?:^|\s)(?:it|test)(?:\.each[\s\S]*?\)|)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/gm
  const direct = [...text.matchAll(called)].map(([, , title]) => title!)
  const afterTable = [...text.matchAll(/\]\)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)]
  return [...direct, ...afterTable.map(([, , title]) => title!)]
}

/** Names of the rows of tables of tests: the first text of each, where `%s` is the title. */
export function listRowNames(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^\s+\[?(['"`])((?:\\.|(?!\1).)+)\1,/gm)].map(([, , name]) => name!)
}
