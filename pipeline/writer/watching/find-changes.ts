import { type Instant, toIso } from '../../core/clock.ts'
import {
  type KnownFacts,
  REMEMBERED_MAX,
  type StoredWatch,
  unknownFacts,
  type WatchedFile,
} from '../../model/watch.ts'
import type { ChangesOfWatch, WatchedChange } from '../../model/watched-change.ts'
import { hashKey } from '../../serving/keys.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import { findLookalikes } from './find-lookalikes.ts'
import { findAgentChanges, findGrantChanges } from './grant-changes.ts'
import type { HostedEdit } from './hosted-edits.ts'
import type { FileRow, WatchedEvent, WatchedRows } from './watched-rows.ts'

/**
 * Finds what is new for each watch: what differs from the facts that its person knows, and events after the commit
 * up to which they are reported. The first look at a watch only learns the facts. Nothing is found about a
 * domain that was taken down.
 */
export function findChanges(
  watches: readonly StoredWatch[],
  rows: WatchedRows,
  { takenDown, now }: { takenDown: TakenDown; now: Instant },
): ChangesOfWatch[] {
  const groups = groupRows(watches, rows)
  return watches
    .filter(({ subject }) => !takenDown.covers(subject))
    .map(watch => {
      const { changes = [], known } = findWatchChanges(watch, groups, toIso(now))
      const shown = changes
        .filter(change => !listPlaces(change).some(place => takenDown.covers(place)))
        // What was so before the watch began is no change; events carry their commit.
        .filter(({ what }) => watch.known !== null || !isOfFacts.has(what))
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      const facts = { ...(watch.known ?? unknownFacts), ...known }
      const reported_seq = Math.max(watch.reported_seq, rows.seq)
      return { watch, changes: shown, progress: { reported_seq, known: facts } }
    })
}

/** Rows by the domain or the agent that they concern. */
interface RowGroups extends Pick<WatchedRows, 'grants'> {
  files: ReadonlyMap<string, readonly FileRow[]>
  claims: ReadonlyMap<string, WatchedRows['claims']>
  alike: ReadonlyMap<string, WatchedRows['entries']>
  hosted: ReadonlyMap<string, readonly HostedEdit[]>
  ofDomain: ReadonlyMap<string | null, readonly WatchedEvent[]>
  ofAgent: ReadonlyMap<string, readonly WatchedEvent[]>
}

function groupRows(watches: readonly StoredWatch[], rows: WatchedRows): RowGroups {
  const named = watches.filter(({ kind }) => kind !== 'agent').map(({ subject }) => subject)
  return {
    files: Map.groupBy(rows.files, ({ domain }) => domain),
    claims: Map.groupBy(rows.claims, ({ domain }) => domain),
    alike: findLookalikes(new Set(named), rows.entries),
    hosted: Map.groupBy(rows.hosted, ({ domain }) => domain),
    ofDomain: Map.groupBy(rows.events, ({ domain }) => domain),
    ofAgent: Map.groupBy(rows.events, ({ agent }) => agent),
    grants: rows.grants,
  }
}

/** Changes, and the facts that are known once they are reported. */
type Part = { changes?: WatchedChange[]; known?: Partial<KnownFacts> }

function findWatchChanges(watch: StoredWatch, groups: RowGroups, at: string): Part {
  const { kind, subject, reported_seq } = watch
  const facts = watch.known ?? unknownFacts
  const after = (events: readonly WatchedEvent[] = []) =>
    events.filter(({ seq }) => seq > reported_seq)
  if (kind === 'agent') {
    return { changes: findAgentChanges(after(groups.ofAgent.get(subject)), groups.grants) }
  }
  const files = groups.files.get(subject) ?? []
  const alike = (groups.alike.get(subject) ?? []).filter(({ seq }) => seq > reported_seq)
  const hosted = { changes: findHostedChanges(groups.hosted.get(subject) ?? [], watch) }
  if (kind === 'brand') {
    const own = files.filter(file => file.kind === 'brand.json')
    return joinParts(findFileChanges(own, facts), hosted, findNewLookalikes(alike, facts))
  }
  return joinParts(
    findFileChanges(files, facts),
    hosted,
    findNewClaims(groups.claims.get(subject) ?? [], facts, at),
    findNewLookalikes(alike, facts),
    { changes: findGrantChanges(after(groups.ofDomain.get(subject)), groups.grants) },
  )
}

function joinParts(...parts: readonly Part[]): Part {
  return {
    changes: parts.flatMap(({ changes = [] }) => changes),
    known: Object.assign({}, ...parts.map(({ known }) => known)),
  }
}

/** Changes that follow from facts, not from events. */
const isOfFacts: ReadonlySet<WatchedChange['what']> = new Set([
  'file_broken',
  'file_valid',
  'claimed',
])

/** Finds files that broke, returned, or are there for the first time. */
function findFileChanges(files: readonly FileRow[], facts: KnownFacts): Part {
  const states: Partial<Record<WatchedFile, 'none' | 'valid' | 'broken'>> = { ...facts.files }
  const changes: WatchedChange[] = []
  for (const { kind: file, outcome, attempted_at, succeeded_at, is_stale } of files) {
    const before = states[file] ?? 'none'
    const state = succeeded_at === null ? 'none' : is_stale ? 'broken' : 'valid'
    states[file] = state
    if (state === before) continue
    if (state === 'broken' && before === 'valid')
      changes.push({
        what: 'file_broken',
        file,
        outcome,
        read_at: succeeded_at ?? '',
        at: attempted_at ?? '',
      })
    if (state === 'valid') {
      changes.push({ what: 'file_valid', file, isFirst: before === 'none', at: succeeded_at ?? '' })
    }
  }
  return { changes, known: { files: states } }
}

/** Finds what others than the person who watches did to the hosted files of a domain. */
function findHostedChanges(
  edits: readonly HostedEdit[],
  { kind, user_id, reported_seq }: StoredWatch,
): WatchedChange[] {
  return edits
    .filter(edit => edit.seq > reported_seq && edit.user_id !== user_id)
    .filter(edit => kind === 'domain' || edit.kind === 'brand.json')
    .map(({ kind: file, was_live, is_live, editor_name, edit_summary, at }) => ({
      what: is_live ? (was_live ? 'hosted_changed' : 'hosted_started') : 'hosted_stopped',
      file,
      editor_name,
      edit_summary,
      at,
    }))
}

/**
 * Finds agents that claim the domain and did not before. No more are reported than can be remembered: one that was
 * forgotten while it claims would be new at each look.
 */
function findNewClaims(claims: WatchedRows['claims'], { claimants }: KnownFacts, at: string): Part {
  const known = new Set(claimants)
  const marks = new Map(claims.map(({ agent }) => [hashKey(agent), agent]))
  const gone = claimants.filter(mark => !marks.has(mark))
  const still = claimants.filter(mark => marks.has(mark))
  const found = [...marks]
    .filter(([mark]) => !known.has(mark))
    .slice(0, REMEMBERED_MAX - still.length)
  const remembered = [...gone, ...still, ...found.map(([mark]) => mark)]
  return {
    changes: found.map(([, agent]) => ({ what: 'claimed', agent, at })),
    known: { claimants: remembered.slice(-REMEMBERED_MAX) },
  }
}

function findNewLookalikes(alike: WatchedRows['entries'], { lookalikes }: KnownFacts): Part {
  const entries = alike.filter(({ domain }) => !lookalikes.includes(domain))
  const domains = entries.map(({ domain }) => domain)
  return {
    changes: entries.map(({ domain, is_brand: isBrand, at }) => ({
      what: 'lookalike',
      domain,
      isBrand,
      at,
    })),
    known: { lookalikes: [...lookalikes, ...domains].slice(-REMEMBERED_MAX) },
  }
}

function listPlaces(change: WatchedChange): string[] {
  if ('agent' in change) return [change.agent]
  return 'domain' in change ? [change.domain] : []
}
