import { missingOutcomes } from '../../core/outcomes.ts'
import {
  type CrawlRequestRow,
  type CrawlScope,
  crawlScopes,
  ownFiles,
} from '../../model/crawl-request.ts'
import type { Source } from '../../model/observation.ts'
import type { Database } from '../../store/database.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'

/** Files that one request waits for: a file that names thousands of others must not make all of them due. */
const FILES_MAX = 20

/** Returns the key of a scope and a domain in the map of `listNeededFiles`. */
export function toGroup({ scope, domain }: Pick<CrawlRequestRow, 'scope' | 'domain'>): string {
  return `${scope} ${domain}`
}

/** Rules that start from a file of the domain, with the kinds of files that they follow from there. */
const reads = [
  { own: 'brand.json', rule: 'brand', kinds: ['brand.json'] },
  { own: 'adagents.json', rule: 'publisher', kinds: ['adagents.json', 'ads.txt'] },
] as const

/** Yields the rows of the temporary table `reads`: which rule of a scope reads which files. */
function* listReads(scopes: readonly CrawlScope[]) {
  for (const scope of scopes) {
    for (const { own, rule, kinds } of reads) {
      if (!ownFiles[scope].some(kind => kind === own)) continue
      for (const kind of kinds) yield [scope, own, rule, kind]
    }
  }
}

/**
 * Selects the files behind the answers for a domain: its own, the fallback of a missing one, and
 * their targets. A manager's file may also be at an address that others name. Files of taken down
 * domains are left out (`listNeededFiles`), since waiting for them would never end.
 */
const NEEDED = `
select scope, domain, kind, location, min(distance) as distance from (
  select scope, domain, own as kind, domain as location, 0 as distance from asked join reads using (scope)
  union
  select scope, domain, 'ads.txt', domain, 1
  from asked join crawl_state own on own.kind = 'adagents.json' and own.location = domain
  where scope = 'domain' and own.outcome in ('${missingOutcomes.join("', '")}')
  union
  select scope, domain, d.kind, d.location, 2
  from asked join reads using (scope)
  join depends_on d on d.rule = reads.rule and d.subject = domain and d.kind = reads.kind
  union
  select scope, domain, d.kind, d.location, 2
  from asked join depends_on d on split_part(d.location, '/', 3) = domain
  where scope = 'manager' and d.rule = 'publisher' and d.kind = 'adagents.json'
    and starts_with(d.location, 'https://'))
group by scope, domain, kind, location`

/** Lists the files that open requests wait for, by `toGroup`, nearest first; at most FILES_MAX each. */
export async function listNeededFiles(
  db: Database,
  open: readonly CrawlRequestRow[],
  takenDown: TakenDown,
): Promise<Map<string, Source[]>> {
  const groups = new Map(open.map(({ scope, domain }) => [`${scope} ${domain}`, [scope, domain]]))
  await db.stage('asked', 'scope text, domain text', groups.values())
  await db.stage('reads', 'scope text, own text, rule text, kind text', listReads(crawlScopes))
  await db.stageQuery(
    'requested_files',
    'scope text, domain text, kind text, location text, distance integer',
    NEEDED,
  )
  const rows = await db.all<Source & Pick<CrawlRequestRow, 'scope' | 'domain'>>(
    `select scope, domain, kind, location from (
       select *, row_number() over (partition by scope, domain order by distance, kind, location) as place
       from requested_files) where place <= $max
     order by scope, domain, distance, kind desc, location`,
    { max: FILES_MAX },
  )
  const needed = new Map<string, Source[]>()
  for (const { kind, location, ...row } of rows) {
    if (takenDown.covers(location)) continue
    const files = needed.get(toGroup(row)) ?? []
    files.push({ kind, location })
    needed.set(toGroup(row), files)
  }
  return needed
}
