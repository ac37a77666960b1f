import { listExampleQueries } from '../../api/pages/cookbook.ts'
import { Database } from '../../pipeline/store/columnar/duckdb.ts'
import { createTables } from '../../pipeline/store/columnar/schema.ts'
import { STORED_SCHEMA } from '../../pipeline/store/columnar/stored-schema.ts'
import { listPublishedTables, type TableFile } from '../../pipeline/store/table-files.ts'
import { renderTable } from './markdown.ts'

/** Renders data/README.md from a database that the SQL files created. */
export async function renderDataDictionary(): Promise<string> {
  const db = await Database.open(':memory:')
  await createTables(db)
  const views = await db.all<Described>(
    "select view_name as name, comment from duckdb_views() where not internal and schema_name = 'main' order by all",
  )
  const macros = await db.all<Described>(
    "select function_name as name, comment from duckdb_functions() where function_type in ('macro', 'table_macro') and not internal order by all",
  )
  const columns = await listColumns(db)
  const hidden = await db.all<Described>(
    `select table_name as name, comment from duckdb_tables()
     where schema_name = '${STORED_SCHEMA}' and comment is not null order by all`,
  )
  db.close()
  const published = new Map(listPublishedTables().map(table => [table.name, table]))
  const renderSection = ({ name, comment }: Described) => {
    const computed = published.get(name)?.columns.filter(column => column.computed) ?? []
    const mayBeNull = ({ column_name, may_be_null }: DescribedColumn) =>
      may_be_null && !computed.some(column => column.name === column_name)
    const rows = columns
      .filter(column => column.table_name === name)
      .map(column => [
        `\`${column.column_name}\``,
        `\`${column.data_type}\`${mayBeNull(column) ? ', may be null' : ''}`,
        column.comment,
      ])
    const keys = describeKeys(published.get(name))
    return `### ${name}\n\n${comment}${keys}\n\n${renderTable(['column', 'type', 'meaning'], rows)}`
  }
  const macroLines = macros.map(({ name, comment }) => `- \`${name}\`: ${comment}`)
  const viewSections = views.filter(({ name }) => !published.has(name)).map(renderSection)
  const sections = views.filter(({ name }) => published.has(name)).map(renderSection)
  const queries = listExampleQueries().map(
    ({ question, sql }) => `${question}\n\n\`\`\`sql\n${sql}\n\`\`\``,
  )
  const hiddenLines = hidden.map(
    ({ name, comment }) => `- \`${STORED_SCHEMA}.${name}\`: ${comment}`,
  )
  return `${HEAD}\n## Example queries\n\n${queries.join('\n\n')}\n\n## Views\n\n${VIEWS}\n\n${viewSections.join('\n\n')}\n\n## Macros\n\n${macroLines.join('\n')}\n\n## Tables\n\n${TABLES}\n\n${sections.join('\n\n')}\n\n## Bookkeeping\n\n${BOOKKEEPING}\n\n${hiddenLines.join('\n')}\n`
}

interface DescribedColumn {
  table_name: string
  column_name: string
  data_type: string
  may_be_null: boolean
  comment: string
}

/** Lists the columns that analysts see; which may be null is what the stored table says. */
function listColumns(db: Database): Promise<DescribedColumn[]> {
  return db.all(
    `select seen.table_name, seen.column_name, seen.data_type,
       coalesce(stored.is_nullable, false) as may_be_null, seen.comment
     from duckdb_columns() seen
     left join duckdb_columns() stored on stored.schema_name = '${STORED_SCHEMA}'
       and stored.table_name = seen.table_name and stored.column_name = seen.column_name
     where not seen.internal and seen.schema_name = 'main'
     order by seen.table_name, seen.column_index`,
  )
}

/** Describes the keys of a table, as a continuation of its comment. */
function describeKeys(table: TableFile | undefined): string {
  if (table === undefined) return ''
  const code = (columns: string) => `\`${columns.split(', ').join('`, `')}\``
  const key = table.key === undefined ? '' : ` Key: ${code(table.key)}.`
  const references = table.references.map(
    ({ columns, table: other, targets }) =>
      ` ${code(columns)} refers to ${code(targets)} of \`${other}\`.`,
  )
  return `${key}${references.join('')}`
}

interface Described {
  name: string
  comment: string
}

const VIEWS = `Views answer the usual questions without a join; each is one file of \`data/views/\`. They are in every snapshot.`

const TABLES = `Times are \`TIMESTAMP WITH TIME ZONE\`, which a cast reads in the time zone of your session: write \`utc_time(created_at)::date\`
for the UTC day. Lists of known shape are lists of structs, and closed lists of values are
enums. JSON is what others wrote in a form of their own, such as documents and keys, and objects whose keys are data, such as
names by locale and results by track. The view \`data_keys\` lists the keys.
A value of an enum or a struct that only another version of the registry knows is null.`

const BOOKKEEPING = `The schema \`internal\` is the writer's: it holds the tables as they are stored, from which the ones above are views, and
these for bookkeeping. Its columns may change with any version.`

const HEAD = `# Data dictionary

Derived from \`data/tables/\`, \`data/views/\` and \`data/macros/\`; \`npm run generate\` writes it.

\`DATA_DIR/registry.duckdb\` is the current snapshot of the index: an ordinary DuckDB file that is
never changed, only replaced by a newer one, and that nothing may write to. You can open it read-only, even while a crawl commits:

\`\`\`sh
duckdb -readonly DATA_DIR/registry.duckdb
\`\`\`

\`DATA_DIR/parquet/<table>/day=YYYY-MM-DD/*.parquet\` holds the same tables as of the first snapshot of
a UTC day (the very first is made once most known files have been crawled), and \`DATA_DIR/events/YYYY-MM-DD.ndjson\` the change feed, one event per line. None of them
holds email addresses or people’s names. [How other engines read the files](../docs/parquet.md).
`
