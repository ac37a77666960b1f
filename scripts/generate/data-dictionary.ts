import { readdirSync, readFileSync } from 'node:fs'
import { Database } from '../../pipeline/store/duckdb.ts'
import { exportedTables } from '../../pipeline/store/parquet.ts'
import { createTables } from '../../pipeline/store/schema.ts'
import { renderTable } from './markdown.ts'

const QUERIES = 'data/queries'

/** Lists the example queries; the first line of a file is a comment with its question. */
export function listExampleQueries(): { question: string; sql: string }[] {
  return readdirSync(QUERIES)
    .filter(name => name.endsWith('.sql'))
    .sort()
    .map(name => {
      const [first = '', ...rest] = readFileSync(`${QUERIES}/${name}`, 'utf8').trim().split('\n')
      return { question: first.replace(/^-- /, ''), sql: rest.join('\n') }
    })
}

/** Renders data/README.md from a database that the SQL files created. */
export async function renderDataDictionary(): Promise<string> {
  const db = await Database.open(':memory:')
  await createTables(db, 'tables')
  const tables = await db.all<{ table_name: string; comment: string }>(
    'select table_name, comment from duckdb_tables() where not temporary order by table_name',
  )
  const columns = await db.all<{
    table_name: string
    column_name: string
    data_type: string
    is_nullable: boolean
    comment: string
  }>(
    'select table_name, column_name, data_type, is_nullable, comment from duckdb_columns() where not internal',
  )
  db.close()
  const exported = new Set(exportedTables())
  const sections = tables.map(({ table_name, comment }) => {
    const rows = columns
      .filter(column => column.table_name === table_name)
      .map(column => [
        `\`${column.column_name}\``,
        `\`${column.data_type}\`${column.is_nullable ? ', may be null' : ''}`,
        column.comment,
      ])
    const parquet = exported.has(table_name) ? '' : ' (not exported as Parquet)'
    return `### ${table_name}\n\n${comment}${parquet}\n\n${renderTable(['column', 'type', 'meaning'], rows)}`
  })
  const queries = listExampleQueries().map(
    ({ question, sql }) => `${question}\n\n\`\`\`sql\n${sql}\n\`\`\``,
  )
  return `${HEAD}\n## Example queries\n\n${queries.join('\n\n')}\n\n## Tables\n\n${sections.join('\n\n')}\n`
}

const HEAD = `# Data dictionary

Derived from \`data/tables/*.sql\`; \`npm run generate\` writes it.

\`DATA_DIR/registry.duckdb\` is the current snapshot of the index: an ordinary DuckDB file that is
never changed, only replaced by a newer one. Open it read-only, also while a crawl commits:

\`\`\`sh
duckdb -readonly DATA_DIR/registry.duckdb
\`\`\`

\`DATA_DIR/parquet/<table>/day=YYYY-MM-DD/*.parquet\` holds the same tables as of the first snapshot of
a UTC day (the first of all is made once most of what is known was crawled), and \`DATA_DIR/events/YYYY-MM-DD.ndjson\` the change feed, one event a line. None of them
holds e-mail addresses or names of persons.
`
