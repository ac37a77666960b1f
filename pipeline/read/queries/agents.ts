import { declareCache } from '../cache/caches.ts'
import { type EnrolledAgent, getMembers, type Members } from '../lookups/members.ts'
import type { Reader, Snapshot } from '../reader.ts'
import {
  type AgentFacts,
  type AgentReach,
  loadAgentFacts,
  loadAgentReach,
  type StatementsByAgent,
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

/** Caches the catalog until the members or the snapshot change; concurrent callers await the same one. */
class AgentCatalogs {
  #latest:
    | { snapshot: Snapshot | undefined; members: Members; catalog: Promise<AgentCatalog> }
    | undefined
  /** Holds what agents say of themselves, parsed for the catalog before. */
  readonly #statements: StatementsByAgent = new Map()

  load(snapshot: Snapshot | undefined, members: Members): Promise<AgentCatalog> {
    const known = this.#latest
    if (known?.snapshot === snapshot && known?.members === members) return known.catalog
    const catalog = (known?.catalog.catch(() => undefined) ?? Promise.resolve()).then(() =>
      make(this.#statements, snapshot, members),
    )
    const made = { snapshot, members, catalog }
    this.#latest = made
    catalog.catch(() => {
      if (this.#latest === made) this.#latest = undefined
    })
    return catalog
  }
}

const catalogs = declareCache(() => new AgentCatalogs())

/** Loads the catalog of agents. */
export function loadAgentCatalog(reader: Reader): Promise<AgentCatalog> {
  return catalogs(reader).load(reader.snapshot, getMembers(reader))
}

async function make(
  before: StatementsByAgent,
  snapshot: Snapshot | undefined,
  { shownToAll, shownToMembers }: Members,
): Promise<AgentCatalog> {
  const agents = shownToMembers.map(({ url }) => url)
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
