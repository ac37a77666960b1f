import type { AttemptedFile } from '../../store/commit-notes.ts'
import type { Database, Parameters } from '../../store/database.ts'
import { toUpdatesMark } from '../../store/table-versions.ts'
import { encodeFreshness, mergeFreshness } from '../freshness-record.ts'
import { hashAgent, toFreshnessKey } from '../keys.ts'
import type { Entry } from '../lmdb.ts'
import type { RowProjection } from './projection.ts'

/** Rows of other commits are looked for in the whole table: an index by commit would be written for every file of a night. */
const CHANGED = '$seq < $last and seq > $seq'

/**
 * Projects the crawl state of the files that a commit attempted, and how long agents took to answer; the other
 * files of a location keep theirs.
 */
export const freshnessProjection: RowProjection = {
  store: 'index',
  // A file is new before its first attempt: it has no freshness yet.
  tables: [toUpdatesMark('crawl_state')],
  changed: CHANGED,
  slicedBy: 'location',
  from: 'crawl_state',
  async project({ index }, where, parameters) {
    const files =
      (where === CHANGED ? findAttempts(index, parameters) : undefined) ??
      (await loadFiles(index, where, parameters))
    const values = new Map<string, Buffer>()
    const timings: Entry[] = []
    for (const file of files) {
      const { kind, location, took_ms } = file
      const key = toFreshnessKey(kind, location)
      values.set(key, mergeFreshness(values.get(key), encodeFreshness(kind, file)))
      if (kind === 'agent') timings.push(toTiming(location, took_ms ?? 0))
    }
    const cells = [...values].map(([key, value]): Entry => ({ space: 'freshness', key, value }))
    return [...cells, ...timings]
  },
}

/** Finds the files of the one commit that is projected, if it was made in this process. */
function findAttempts(
  index: Database,
  { seq, last }: Parameters,
): readonly AttemptedFile[] | undefined {
  return Number(last) === Number(seq) + 1 ? index.findNotes(Number(last))?.attempts : undefined
}

async function loadFiles(
  index: Database,
  where: string,
  parameters: Parameters,
): Promise<AttemptedFile[]> {
  const rows = await index.values(
    `select kind, location, outcome, status, attempted_at, succeeded_at, took_ms
     from crawl_state where ${where} and outcome is not null`,
    parameters,
  )
  return rows.map(([kind, location, outcome, status, attempted_at, succeeded_at, took_ms]) => {
    const file = { kind, location, outcome, status, attempted_at, succeeded_at, took_ms }
    return file as AttemptedFile
  })
}

function toTiming(agentUrl: string, ms: number): Entry {
  const value = ms === 0 ? undefined : Buffer.from(String(ms))
  return { space: 'agent_timing', key: hashAgent(agentUrl), value }
}
