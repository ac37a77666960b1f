import { type EnrolledAgent, getMembers, type Members } from '../lookups/members.ts'
import type { Reader, Snapshot } from '../reader.ts'
import {
  type AgentFacts,
  type AgentReach,
  loadAgentFacts,
  loadAgentReach,
  type SaidByAgent,
} from './agent-facts.ts'

/** The agents that members show, with what is known of them; in the order of their enrolment. */
export interface AgentCatalog {
  /** The commit up to which the facts go. */
  seq: number
  shownToAll: readonly EnrolledAgent[]
  shownToMembers: readonly EnrolledAgent[]
  facts: ReadonlyMap<string, AgentFacts>
  /** Counts what an agent reaches; only on request, since it scans all authorizations. */
  reach(): Promise<ReadonlyMap<string, AgentReach>>
}

interface CachedCatalog {
  snapshot: Snapshot | undefined
  members: Members
  catalog: Promise<AgentCatalog>
}

const catalogs = new WeakMap<Reader, CachedCatalog>()
const said = new WeakMap<Reader, SaidByAgent>()

/**
 * Loads the catalog of agents. It is rebuilt when the members or the snapshot change; concurrent
 * callers await the same rebuild.
 */
export function loadAgentCatalog(reader: Reader): Promise<AgentCatalog> {
  const members = getMembers(reader)
  const { snapshot } = reader
  const known = catalogs.get(reader)
  if (known?.snapshot === snapshot && known?.members === members) return known.catalog
  const catalog = (known?.catalog.catch(() => undefined) ?? Promise.resolve()).then(() =>
    make(reader, snapshot, members),
  )
  const made = { snapshot, members, catalog }
  catalogs.set(reader, made)
  catalog.catch(() => {
    if (catalogs.get(reader) === made) catalogs.delete(reader)
  })
  return catalog
}

async function make(
  reader: Reader,
  snapshot: Snapshot | undefined,
  { shownToAll, shownToMembers }: Members,
): Promise<AgentCatalog> {
  const agents = shownToMembers.map(({ url }) => url)
  const before: SaidByAgent = said.get(reader) ?? new Map()
  said.set(reader, before)
  const isEmpty = snapshot === undefined || agents.length === 0
  let reach: Promise<ReadonlyMap<string, AgentReach>> | undefined
  return {
    seq: snapshot?.seq ?? 0,
    shownToAll,
    shownToMembers,
    facts: isEmpty ? new Map() : await loadAgentFacts(snapshot, agents, before),
    reach() {
      if (isEmpty) return Promise.resolve(new Map())
      reach ??= loadAgentReach(snapshot, agents)
      reach.catch(() => {
        reach = undefined
      })
      return reach
    },
  }
}
