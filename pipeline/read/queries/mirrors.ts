import type { StoredMirror } from '../../model/mirror.ts'
import type { Snapshot } from '../reader.ts'
import type { Page } from './page.ts'

type ListedMirror = Pick<StoredMirror, 'platform' | 'catalog_etag' | 'superseded_by' | 'updated_at'>

/** Lists mirrors, the last changed first, and their number. */
export async function listMirrors(
  { db }: Snapshot,
  page: Page,
): Promise<{ mirrors: ListedMirror[]; total: number }> {
  const [mirrors, count] = await Promise.all([
    db.all<ListedMirror>(
      `select platform, catalog_etag, superseded_by, updated_at from mirrors
       order by updated_at desc, platform limit $limit offset $offset`,
      { ...page },
    ),
    db.oneOrThrow<{ total: number }>('select count(*)::double as total from mirrors'),
  ])
  return { mirrors, total: count.total }
}
