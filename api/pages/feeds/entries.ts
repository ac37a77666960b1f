import { refuse } from '../../../pipeline/core/errors.ts'
import { eventTypeNames, type FeedEvent } from '../../../pipeline/model/event.ts'
import { findAgent } from '../../../pipeline/read/lookups/agents.ts'
import { listNewestEvents } from '../../../pipeline/read/lookups/newest-events.ts'
import {
  listAgentChanges,
  listBrandChanges,
  listDomainChanges,
  type StateChange,
} from '../../../pipeline/read/queries/state-changes.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { getSnapshot } from '../../responses/lists.ts'
import { capitalize, clipText } from '../html/text.tsx'
import { predicates } from '../parts/change-words.ts'
import { compareDocuments } from '../parts/compare-documents.ts'
import { findSubject } from '../parts/event-subject.ts'
import { toAgentPath, toBrandPath, toHistoryPath, toPublisherPath } from '../parts/paths.ts'
import { findStatusChange, omitStatusFields } from '../parts/status-change.ts'

/** Changes that a feed has; readers ask again before there are more. */
const ENTRIES_MAX = 50
const NAME_CHARS_MAX = 200
const FIELDS_MAX = 20

/** Types of the feed of all changes: what agents reach changes with every publisher, and would drown the others. */
const shownTypes = eventTypeNames.filter(type => type !== 'agent.profile_updated')

/** A change as feed readers show it. */
export interface Entry {
  /** UUID that is the same in every answer. */
  id: string
  title: string
  text: string
  /** Path of the page of the thing that changed. */
  path: string
  /** Time of the change (ISO 8601). */
  at: string
}

/** A feed, its page and its entries, the newest first. */
export interface ChangeFeed {
  title: string
  /** Path of the page that shows the same. */
  path: string
  entries: Entry[]
}

/** A domain, an agent or a brand; nothing for all changes. */
export interface ChangeSubject {
  domain?: string | undefined
  agent?: string | undefined
  brand?: string | undefined
}

/** Builds the feed of a subject from public facts. */
export async function buildChangeFeed(
  reader: Reader,
  subject: ChangeSubject,
  retentionDays: number,
): Promise<ChangeFeed> {
  const { domain, agent, brand } = subject
  if ([domain, agent, brand].filter(named => named !== undefined).length > 1)
    refuse('invalid_request', 'domain: specify exactly one of `domain`, `agent` and `brand`')
  if (domain !== undefined) {
    const entries = await listEntries(reader, listDomainChanges, domain)
    return { title: `Changes for ${domain}`, path: toHistoryPath('publisher', domain), entries }
  }
  if (brand !== undefined) {
    const entries = await listEntries(reader, listBrandChanges, brand)
    const title = `Changes to the brand of ${brand}`
    return { title, path: toHistoryPath('brand', brand), entries }
  }
  if (agent !== undefined) {
    const { agent_url } = findAgent(reader, agent)
    const entries = await listEntries(reader, listAgentChanges, agent_url)
    return { title: `Changes to the agent ${agent_url}`, path: toAgentPath(agent_url), entries }
  }
  const newest = { types: shownTypes, limit: ENTRIES_MAX, retentionDays }
  const entries = listNewestEvents(reader, newest).map(toEventEntry)
  return { title: 'Changes in the registry', path: '/changes', entries }
}

/** Lists the newest changes of a thing; none before the first commit. */
async function listEntries(
  reader: Reader,
  list: typeof listDomainChanges,
  of: string,
): Promise<Entry[]> {
  const snapshot = getSnapshot(reader)
  if (snapshot === undefined) return []
  const { changes } = await list(snapshot, of, { limit: ENTRIES_MAX, offset: 0 })
  return changes.map(toEntry)
}

const nouns: Readonly<Record<StateChange['kind'], (change: StateChange) => string>> = {
  brand: ({ domain }) => `the brand of ${domain}`,
  publisher: ({ domain }) => `adagents.json of ${domain}`,
  property: ({ domain, subject }) => `property ${clipText(subject, NAME_CHARS_MAX)} of ${domain}`,
  grant: ({ domain, subject }) =>
    `authorization of ${clipText(subject, NAME_CHARS_MAX)} by ${domain}`,
}

function toEntry(change: StateChange): Entry {
  const { id, kind, domain, ended, before, after, at } = change
  const first = kind === 'publisher' && after.valid === false ? 'Invalid' : 'New'
  const turn = ended ? undefined : findStatusChange(change)
  const changed = capitalize(turn?.what ?? 'changed')
  const what = ended ? 'Removed' : before === null ? first : changed
  const compared = ended || before === null ? [] : compareDocuments(before, after)
  const fields = turn === undefined ? compared : omitStatusFields(compared)
  const names = fields.slice(0, FIELDS_MAX).map(({ path }) => clipText(path, NAME_CHARS_MAX))
  const title = `${what}: ${nouns[kind](change)}`
  return {
    id,
    title,
    text: names.length === 0 ? title : `${title}. Fields: ${names.join(', ')}`,
    path: kind === 'brand' ? toBrandPath(domain) : toPublisherPath(domain),
    at,
  }
}

function toEventEntry(event: FeedEvent): Entry {
  const subject = findSubject(event)
  const isAgent = /^https?:/.test(subject)
  const name = clipText(subject, NAME_CHARS_MAX)
  const title = `${name} ${predicates[event.event_type](1)}`
  return {
    id: event.event_id,
    title,
    text: `${title}.`,
    path: isAgent ? toAgentPath(subject) : toPublisherPath(subject),
    at: event.created_at,
  }
}
