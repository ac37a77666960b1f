import { type Instant, toIso } from '../../core/clock.ts'
import type { Database } from '../../store/database.ts'

/** Progress of a crawl since some moment. */
export interface CrawlSummary {
  /** Files made due since then without a result; mentions are not counted. */
  waiting: number
  /** Files attempted since then, by kind and outcome of the last attempt. */
  outcomes: { kind: string; outcome: string; files: number }[]
  brands: number
  publishers: number
  properties: number
  authorizations: number
  agents: number
  /** Faults of the documents attempted since then, the commonest first, each with the first field that has it. */
  faults: { field: string; message: string; severity: string; times: number }[]
}

const FAULTS_SHOWN_MAX = 20

export async function crawlSummary(
  db: Database,
  since: Instant,
  now: Instant,
  { withFaults = false } = {},
): Promise<CrawlSummary> {
  const at = { since: toIso(since), now: toIso(now) }
  const waiting = await db.oneOrThrow<{ files: number }>(
    `select count(*) as files from crawl_state
     where priority < 3 and due_at between ms($since) and ms($now)`,
    at,
  )
  const outcomes = await db.all<CrawlSummary['outcomes'][number]>(
    `select kind, outcome, count(*) as files from crawl_state
     where priority < 3 and attempted_at >= ms($since)
     group by kind, outcome order by kind desc, files desc, outcome`,
    { since: at.since },
  )
  const counts = await db.oneOrThrow<
    Pick<CrawlSummary, 'brands' | 'publishers' | 'properties' | 'authorizations' | 'agents'>
  >(
    `select (select count(*) from brands) as brands, (select count(*) from publishers) as publishers,
       (select count(*) from properties where status = 'active') as properties,
       (select count(*) from authorizations where in_force) as authorizations,
       (select count(*) from agents) as agents`,
  )
  const faults = withFaults ? await countCommonFaults(db, at.since) : []
  return { waiting: waiting.files, outcomes, ...counts, faults }
}

function countCommonFaults(db: Database, since: string): Promise<CrawlSummary['faults']> {
  return db.all(
    `select min(value ->> '$.field') as field, value ->> '$.message' as message,
       value ->> '$.severity' as severity, count(*) as times from (
       select kind, location, faults from documents
       union all select kind, location, faults from held_documents) d, json_each(d.faults)
     where exists (select 1 from crawl_state s where s.location = d.location and s.kind = d.kind
       and s.attempted_at >= ms($since))
     group by 2, 3 order by times desc, message limit ${FAULTS_SHOWN_MAX}`,
    { since },
  )
}
