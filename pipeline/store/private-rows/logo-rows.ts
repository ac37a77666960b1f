import type { StoredLogo } from '../../model/logo.ts'
import type { Sqlite, SqliteParameters } from '../sqlite.ts'

/** Loads the logos for which `where` holds, in the order of their submission. */
export function loadStoredLogos(
  db: Sqlite,
  where: string,
  parameters: SqliteParameters,
): StoredLogo[] {
  return db.all(
    `select logo_id, domain, hash, content_type, tags, note, source, status, org_id, uploaded_at,
       bytes from logos
     where ${where} order by uploaded_at, logo_id`,
    parameters,
  )
}
