import type { Database } from '../duckdb.ts'
import type { Scope } from '../scope.ts'
import type { Entry } from '../serving.ts'

/** Keys that ended because a domain was taken down. */
export async function goneEntries(index: Database, { gone, parameters }: Scope): Promise<Entry[]> {
  const rows = await index.all<Pick<Entry, 'space' | 'key'>>(gone, parameters)
  return rows.map(({ space, key }) => ({ space, key, value: undefined }))
}
