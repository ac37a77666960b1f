import type { AdagentsDocument } from '../../model/documents/index.ts'
import { Revocations } from '../../resolve/revocation.ts'
import type { Snapshot } from '../reader.ts'

type Listed = Pick<
  Extract<AdagentsDocument, { variant: 'inline' }>,
  'revoked_publisher_domains' | 'remembered_revocations'
>

/** Selects what the files of a publisher disown: its own one, and the one that it leads to. */
const DISOWNED = `
select d.location, json_object(
  'variant', 'inline',
  'revoked_publisher_domains', coalesce(d.document->'$.revoked_publisher_domains', '[]'::json),
  'remembered_revocations', coalesce(d.document->'$.remembered_revocations', '[]'::json)) as listed
from publishers p
join documents d on d.kind = 'adagents.json' and d.location in (p.domain, p.resolved_location)
where p.domain = $domain and p.agent_count = 0`

/** Finds the location of the file that revokes a publisher; undefined where none does. */
export async function findRevokingFile(
  { db }: Pick<Snapshot, 'db'>,
  domain: string,
  now: number,
): Promise<string | undefined> {
  const files = await db.all<{ location: string; listed: Listed }>(DISOWNED, { domain })
  return files.find(({ listed }) => new Revocations(listed as AdagentsDocument, now).has(domain))
    ?.location
}
