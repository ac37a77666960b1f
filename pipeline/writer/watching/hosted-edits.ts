import { EDITORS } from '../../accounts/editors.ts'
import type { WatchedFile } from '../../model/watch.ts'
import type { Database } from '../../store/database.ts'

/** Edits that are read at a time; what is left is read at the next look. */
export const EDITS_MAX = 1_000

/** An edit of the file that is hosted for a domain. */
export interface HostedEdit {
  kind: WatchedFile
  domain: string
  /** Person who edited it; null for an edit with a key. */
  user_id: string | null
  /** Organization for which it was edited; null for the registry itself. */
  editor_name: string | null
  edit_summary: string
  was_live: boolean
  is_live: boolean
  at: string
  seq: number
}

/** Loads edits of hosted files; those that nobody but a moderator sees are not among them. */
export function loadHostedEdits(
  index: Database,
  parameters: { from: number; seq: number; domains: string },
): Promise<HostedEdit[]> {
  const isLive = (row: string) =>
    `${row}.source = 'community' and ${row}.state ->> '$.status' = 'live'`
  return index.all(
    `select case r.entity when 'brand' then 'brand.json' else 'adagents.json' end as kind, r.domain,
       (select principal_id from editors e where e.editor_id = r.editor_id and e.kind = 'user') as user_id,
       (select o.name from ${EDITORS} e join organizations o using (org_id)
        where e.editor_id = r.editor_id) as editor_name,
       r.edit_summary, coalesce(${isLive('b')}, 0) as "was_live [boolean]", ${isLive('r')} as "is_live [boolean]",
       r.created_at as at, r.seq
     from revisions r left join revisions b on b.entity = r.entity and b.domain = r.domain
       and b.revision_number = r.revision_number - 1
     where r.seq > $from and r.seq <= $seq and r.entity in ('brand', 'property')
       and r.domain in (select value from json_each($domains))
       and (${isLive('r')} or ${isLive('b')})
     order by r.seq, r.domain limit ${EDITS_MAX}`,
    parameters,
  )
}
