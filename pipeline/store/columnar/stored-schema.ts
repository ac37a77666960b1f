/**
 * Schema of the tables of the index as the registry writes and reads them. The default schema, `main`, has
 * the views that analysts read in a snapshot.
 */
export const STORED_SCHEMA = 'internal'

/** SQL by which a connection reads and writes the stored tables where it names one without a schema. */
export const USE_STORED = `set search_path = '${STORED_SCHEMA},main'`

/** SQL by which names without a schema mean what analysts see. */
export const USE_PUBLISHED = "set search_path = 'main'"

/** SQL that tells whether a database has stored tables. */
export const FIND_STORED = `select 1 from duckdb_schemas()
  where schema_name = '${STORED_SCHEMA}' and database_name = current_database()`
