import type { Domain } from '../../../pipeline/core/domain.ts'
import { getLast } from '../../../pipeline/core/present.ts'
import type { SourceKind } from '../../../pipeline/model/documents/index.ts'
import type { EventDraft } from '../../../pipeline/model/event.ts'
import type { Invalidated } from '../../../pipeline/model/invalidated.ts'
import type { Database } from '../../../pipeline/store/database.ts'
import type { ApplyContext } from '../../../pipeline/writer/apply-context.ts'
import type { Rule, Subjects } from '../../../pipeline/writer/dependencies.ts'
import { Files } from '../../../pipeline/writer/derivation-files.ts'
import { deriveAgain } from '../../../pipeline/writer/rederive.ts'

/** Domains, or files, that are processed at a time. */
const SLICE_SUBJECTS_MAX = 20_000

/** The file that an answer of each rule begins with. */
const firstSourceKinds: readonly (readonly [Rule, SourceKind])[] = [
  ['brand', 'brand.json'],
  ['publisher', 'adagents.json'],
]

/**
 * Derives every answer from the documents and the crawl state in the index, and writes what differs from
 * the current rows. In an index where every change was derived, nothing differs; in one with documents and
 * crawl state only, it creates all rows. Runs inside a transaction, like a commit.
 */
export async function deriveEverything(db: Database, context: ApplyContext): Promise<EventDraft[]> {
  const drafts: EventDraft[] = []
  const derive = async (subjects: Partial<Subjects>, invalidated: Invalidated[]) => {
    const some = { brand: [], publisher: [], ...subjects }
    const derived = await deriveAgain(
      db,
      some,
      invalidated,
      new Files(db, context.now, context),
      context,
    )
    drafts.push(...derived.drafts)
  }
  for (const [rule, kind] of firstSourceKinds) {
    for (let after = ''; ; ) {
      const subjects = await listSubjects(db, kind, after)
      if (subjects.length === 0) break
      await derive({ [rule]: subjects }, [])
      after = getLast(subjects)
    }
  }
  for (let after = ''; ; ) {
    const files = await listFilesOnAgents(db, after)
    if (files.length === 0) break
    await derive({}, files)
    after = getLast(files).location
  }
  return drafts
}

/** Lists domains after `after` to which a rule may apply: those whose first file is known. */
async function listSubjects(db: Database, kind: SourceKind, after: string): Promise<Domain[]> {
  const rows = await db.all<{ subject: Domain }>(
    `select location as subject from crawl_state
     where kind = $kind and location > $after and not contains(location, '://')
     order by subject limit ${SLICE_SUBJECTS_MAX}`,
    { kind, after },
  )
  return rows.map(({ subject }) => subject)
}

/** Files that say something of agents themselves, by location: all of one location at a time. */
function listFilesOnAgents(db: Database, after: string): Promise<Invalidated[]> {
  return db.all(
    `select kind, location, true as "is_new [boolean]", true as "is_own [boolean]", null as known_until from crawl_state
     where hash is not null and kind in ('brand.json', 'agent') and location in (
       select distinct location from crawl_state
       where hash is not null and kind in ('brand.json', 'agent') and location > $after
       order by location limit ${SLICE_SUBJECTS_MAX})
     order by location, kind`,
    { after },
  )
}
