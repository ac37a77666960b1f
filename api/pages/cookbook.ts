import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../pipeline/core/project-root.ts'

const FOLDER = join(projectRoot, 'data/queries')

/** A question to the data, in words and in SQL. */
export interface ExampleQuery {
  question: string
  /** It uses no extension of DuckDB, JSON and ICU included, which the browser's DuckDB does not have. */
  sql: string
}

let queries: ExampleQuery[] | undefined

/** Lists the example queries in their order, read once; the first line of a file is its question. */
export function listExampleQueries(): readonly ExampleQuery[] {
  queries ??= readdirSync(FOLDER)
    .filter(name => name.endsWith('.sql'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map(name => {
      const [first = '', ...rest] = readFileSync(join(FOLDER, name), 'utf8').trim().split('\n')
      return { question: first.replace(/^-- /, ''), sql: rest.join('\n') }
    })
  return queries
}
