import { type ColumnDeclaration, listPublishedTables, type TableFile } from '../table-files.ts'
import { STORED_SCHEMA } from './stored-schema.ts'
import { buildEnumTypes } from './vocabularies.ts'

/**
 * Builds the SQL of the views that analysts read instead of the stored tables, with the types that the SQL
 * files of the tables publish their columns as. A view costs a snapshot nothing and a commit nothing.
 */
export function buildPublishedViews(): string {
  const tables = listPublishedTables()
  return [
    buildEnumTypes(),
    ...tables.map(buildView),
    ...tables.flatMap(listComments),
    buildKeys(tables),
  ].join('\n')
}

function buildView({ name, columns }: TableFile): string {
  const selected = columns.map(column => `  ${toPublished(column)}`).join(',\n')
  return `create or replace view ${name} as select\n${selected}\nfrom ${STORED_SCHEMA}.${name};`
}

/** Lists the comments in a table's file; they are set on the view of the same name. */
function listComments({ name, sql }: TableFile): string[] {
  return sql
    .split('\n')
    .filter(line => line.startsWith('comment on '))
    .map(line => line.replace(`comment on table ${name} `, `comment on view ${name} `))
}

/** Converts a column to the expression that publishes it. */
function toPublished({ name, publishedAs, computed }: ColumnDeclaration): string {
  if (computed !== undefined) return `coalesce(${name}, ${computed.otherwise}) as ${name}`
  if (publishedAs === undefined) return name
  const vocabulary = /^enum (\w+)$/.exec(publishedAs)?.[1]
  // A value that another version of the registry knew is null, instead of an error of the whole query.
  if (vocabulary !== undefined) return `try_cast(${name} as ${vocabulary}) as ${name}`
  if (publishedAs.startsWith('struct(')) {
    return `try_cast(${replaceEscapes(`${name}::varchar`)} as ${publishedAs}) as ${name}`
  }
  return `cast(${name} as ${publishedAs}) as ${name}`
}

/**
 * Builds SQL that prepares JSON text for DuckDB's cast of text to structs, which reads JSON but for the escapes
 * of line ends and tabs. Its JSON functions are an extension, which the SQL page in a browser has not.
 */
function replaceEscapes(text: string): string {
  const escapes = { '\\n': 10, '\\r': 13, '\\t': 9 }
  // No JSON text holds U+0001: it stands for an escaped backslash, which begins none of these escapes.
  const replaced = Object.entries(escapes).reduce(
    (sql, [escaped, code]) => `replace(${sql}, '${escaped}', chr(${code}))`,
    `replace(${text}, '\\\\', chr(1))`,
  )
  return `replace(${replaced}, chr(1), '\\\\')`
}

/** Builds the view that tells the keys of tables: views can declare none, and stored ones would slow commits. */
function buildKeys(tables: readonly TableFile[]): string {
  const quote = (text: string) => `['${text.split(', ').join("', '")}']`
  const rows = tables.flatMap(({ name, key, references }) => [
    ...(key === undefined ? [] : [`('${name}', 'primary', ${quote(key)}, null, null)`]),
    ...references.map(
      ({ columns, table, targets }) =>
        `('${name}', 'foreign', ${quote(columns)}, '${table}', ${quote(targets)})`,
    ),
  ])
  return `create or replace view data_keys as
select * from (values
${rows.map(row => `  ${row}`).join(',\n')}
) keys(table_name, kind, columns, referenced_table, referenced_columns);
comment on view data_keys is 'Keys of the published tables: the columns that identify a row, and those whose values another table explains. Views in DuckDB have no constraints; tests of the registry check these.';
comment on column data_keys.table_name is 'the table';
comment on column data_keys.kind is 'primary or foreign';
comment on column data_keys.columns is 'columns of the key; of a column that is a list, each value refers to a row';
comment on column data_keys.referenced_table is 'the table to join; null for a primary key';
comment on column data_keys.referenced_columns is 'columns of the table to join, in the same order; null for a primary key';`
}
