import type { EntryState, RevisionRow } from '../../model/rows.ts'
import type { Entity } from '../entries.ts'
import type { Snapshot } from '../reader.ts'
import type { Page } from './rows.ts'

type RevisionFacts = Pick<
  RevisionRow,
  | 'revision_number'
  | 'editor_id'
  | 'edit_summary'
  | 'source'
  | 'is_rollback'
  | 'rolled_back_to'
  | 'created_at'
>

const FACTS = `r.revision_number::double as revision_number, r.editor_id, r.edit_summary, r.source,
  r.is_rollback, r.rolled_back_to::double as rolled_back_to, r.created_at`
const OF_ENTRY = 'r.entity = $entity and r.domain = $domain'

/** A page of the revisions of an entry, newest first, and how many there are. */
export async function listRevisions(
  { db }: Snapshot,
  entity: Entity,
  domain: string,
  page: Page,
): Promise<{ total: number; revisions: object[] }> {
  const which = { entity, domain }
  const [revisions, count] = await Promise.all([
    db.all<RevisionFacts>(
      `select ${FACTS} from revisions r where ${OF_ENTRY}
       order by r.revision_number desc limit $limit offset $offset`,
      { ...which, ...page },
    ),
    db.one<{ total: number }>(
      `select count(*)::double as total from revisions r where ${OF_ENTRY}`,
      which,
    ),
  ])
  return { total: count!.total, revisions: revisions.map(factsOf) }
}

/**
 * A revision with what it left. That is told only while the entry is shown, and only of what was shown
 * then or is now: what waited for a moderator and was never approved stays hidden, and so does
 * everything of an entry that was withdrawn.
 */
export async function findRevision(
  { db }: Snapshot,
  entity: Entity,
  domain: string,
  revision_number: number,
): Promise<object | undefined> {
  const row = await db.one<RevisionFacts & { state: EntryState; is_shown: boolean }>(
    `select ${FACTS}, r.state, e.status = 'live'
       and (r.state->>'status' = 'live' or e.revision_number = r.revision_number) as is_shown
     from revisions r join entries e using (entity, domain)
     where ${OF_ENTRY} and r.revision_number = $revision_number`,
    { entity, domain, revision_number },
  )
  if (row === undefined) return undefined
  const { state, is_shown, ...facts } = row
  return { ...factsOf(facts), content: is_shown ? contentOf(state) : null }
}

/** Whom to write to is kept elsewhere, and not told. */
function contentOf({ brand_name, document }: EntryState): object {
  return { ...(brand_name !== null && { brand_name }), document }
}

function factsOf({ rolled_back_to, ...facts }: RevisionFacts): object {
  return { ...facts, ...(rolled_back_to !== null && { rolled_back_to }) }
}
