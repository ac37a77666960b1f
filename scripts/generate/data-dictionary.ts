import { listExampleQueries } from '../../api/pages/cookbook.ts'
import { Database } from '../../pipeline/store/duckdb.ts'
import { exportedTables } from '../../pipeline/store/parquet.ts'
import { createTables } from '../../pipeline/store/schema.ts'
import { renderTable } from './markdown.ts'

/** Renders data/README.md from a database that the SQL files created. */
export async function renderDataDictionary(): Promise<string> {
  const db = await Database.open(':memory:')
  await createTables(db, 'tables')
  const tables = await db.all<Described>(
    'select table_name as name, comment from duckdb_tables() where not temporary order by all',
  )
  const views = await db.all<Described>(
    'select view_name as name, comment from duckdb_views() where not internal order by all',
  )
  const macros = await db.all<Described>(
    "select function_name as name, comment from duckdb_functions() where function_type = 'table_macro' and not internal order by all",
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
  const renderSection = ({ name, comment }: Described, isView: boolean) => {
    const rows = columns
      .filter(column => column.table_name === name)
      .map(column => [
        `\`${column.column_name}\``,
        `\`${column.data_type}\`${column.is_nullable && !isView ? ', may be null' : ''}`,
        column.comment,
      ])
    const parquet = isView || exported.has(name) ? '' : ' (not exported as Parquet)'
    return `### ${name}\n\n${comment}${parquet}\n\n${renderTable(['column', 'type', 'meaning'], rows)}`
  }
  const macroLines = macros.map(({ name, comment }) => `- \`${name}\`: ${comment}`)
  const viewSections = views.map(view => renderSection(view, true))
  const sections = tables.map(table => renderSection(table, false))
  const queries = listExampleQueries().map(
    ({ question, sql }) => `${question}\n\n\`\`\`sql\n${sql}\n\`\`\``,
  )
  return `${HEAD}\n## Example queries\n\n${queries.join('\n\n')}\n\n## Views\n\n${VIEWS}\n\n${viewSections.join('\n\n')}\n\n## Macros\n\n${macroLines.join('\n')}\n\n## Tables\n\n${sections.join('\n\n')}\n`
}

interface Described {
  name: string
  comment: string
}

const VIEWS = `Views answer the usual questions without a join; each is one file of \`data/views/\`. They are in every snapshot.`

const HEAD = `# Data dictionary

Derived from \`data/tables/\`, \`data/views/\` and \`data/macros/\`; \`npm run generate\` writes it.

\`DATA_DIR/registry.duckdb\` is the current snapshot of the index: an ordinary DuckDB file that is
never changed, only replaced by a newer one. Open it read-only, also while a crawl commits:

\`\`\`sh
duckdb -readonly DATA_DIR/registry.duckdb
\`\`\`

\`DATA_DIR/parquet/<table>/day=YYYY-MM-DD/*.parquet\` holds the same tables as of the first snapshot of
a UTC day (the first of all is made once most of what is known was crawled), and \`DATA_DIR/events/YYYY-MM-DD.ndjson\` the change feed, one event a line. None of them
holds e-mail addresses or names of persons. [How other engines read the files](../docs/parquet.md).
`
