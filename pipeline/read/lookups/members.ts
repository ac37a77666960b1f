import { requireValue } from '../../core/present.ts'
import type { MemberAgent, StoredMember } from '../../model/accounts/member.ts'
import { type AgentEnrolment, chooseKeeper, isOnDomain } from '../../resolve/agent-keeper.ts'
import { fold } from '../../search/fold.ts'
import type { ServingStore } from '../../serving/lmdb.ts'
import { loadStoredMembers } from '../../store/private-rows/member-rows.ts'
import { declareCache } from '../cache/caches.ts'
import { LatestValue } from '../cache/latest-value.ts'
import type { Reader } from '../reader.ts'
import type { PrivateReader } from './private-rows.ts'

/** An agent as the list of agents shows it, with the member that enrolled it. */
export interface EnrolledAgent extends MemberAgent {
  member: StoredMember
}

interface FoldedName {
  name: string
  domains: readonly string[]
}

interface FoldedAgent {
  url: string
  /** Its address, its name and that of its member, one per line. */
  texts: string
}

/**
 * All members, with lookups by agent and by domain. They are few and change seldom, so a process caches them
 * and reads them again when the serving store says that one has changed.
 */
export class Members {
  /** The last commit that changed a member. */
  readonly changed: number
  readonly all: readonly StoredMember[]
  /** Agents that everybody may see, and those that members with API access may see; each address once. */
  readonly shownToAll: readonly EnrolledAgent[]
  readonly shownToMembers: readonly EnrolledAgent[]
  readonly #byDomain = new Map<string, StoredMember>()
  readonly #byPublicAgent: ReadonlyMap<string, EnrolledAgent>
  readonly #publicUrls: ReadonlyMap<string, string>
  /** Built on first use. */
  #enrolments: ReadonlyMap<string, EnrolledAgent[]> | undefined
  #keepers: ReadonlyMap<string, AgentEnrolment> | undefined
  #foldedNames: readonly FoldedName[] | undefined
  #foldedAgents: readonly FoldedAgent[] | undefined

  constructor(changed: number, all: readonly StoredMember[]) {
    this.changed = changed
    this.all = all
    for (const member of all) {
      for (const domain of member.domains) this.#byDomain.set(domain, member)
    }
    const agents = all
      .flatMap(member => member.agents.map((agent): EnrolledAgent => ({ ...agent, member })))
      .sort((a, b) => (a.enrolled_at < b.enrolled_at ? -1 : a.enrolled_at > b.enrolled_at ? 1 : 0))
    const shown = agents.filter(({ visibility }) => visibility !== 'private')
    this.shownToMembers = removeRepeats(shown)
    this.shownToAll = removeRepeats(shown.filter(({ visibility }) => visibility === 'public'))
    this.#byPublicAgent = new Map(this.shownToAll.map(agent => [agent.url, agent]))
    this.#publicUrls = new Map(
      [...this.#byPublicAgent.keys()]
        .sort()
        .reverse()
        .map(url => [url.toLowerCase(), url]),
    )
  }

  /** Finds the member that holds this domain. */
  findOwner(domain: string): StoredMember | undefined {
    return this.#byDomain.get(domain)
  }

  /**
   * Finds the member that holds this domain, or the longest domain above it that a member has verified.
   */
  findNearestOwner(domain: string): StoredMember | undefined {
    for (let rest = domain; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
      const member = this.#byDomain.get(rest)
      if (member) return member
    }
    return undefined
  }

  /** Finds the member that shows this agent to everybody. */
  findPublicEnroller(agentUrl: string): StoredMember | undefined {
    return this.findPublicEnrolment(agentUrl)?.member
  }

  /** Finds an agent as the list shows it to everybody. */
  findPublicEnrolment(agentUrl: string): EnrolledAgent | undefined {
    return this.#byPublicAgent.get(agentUrl)
  }

  /** Finds the URL of an agent that a member shows to everybody: the first in order that differs only in case. */
  findPublicUrlIgnoringCase(agentUrl: string): string | undefined {
    return this.#publicUrls.get(agentUrl.toLowerCase())
  }

  /** Lists the enrolments of an agent by members, without checking who may see them. */
  listEnrolments(agentUrl: string): readonly EnrolledAgent[] {
    this.#enrolments ??= Map.groupBy(
      this.all.flatMap(member => member.agents.map(agent => ({ ...agent, member }))),
      ({ url }) => url,
    )
    return this.#enrolments.get(agentUrl) ?? []
  }

  /** Finds the organization that answers for an agent. */
  findKeeper(agentUrl: string): AgentEnrolment | undefined {
    this.#keepers ??= buildKeepers(this.all)
    return this.#keepers.get(agentUrl)
  }

  /** Returns the names of members with a public profile, as every search compares them. */
  get foldedNames(): readonly FoldedName[] {
    this.#foldedNames ??= this.all
      .filter(({ is_public, domains }) => is_public && domains.length > 0)
      .map(({ display_name, domains }) => ({ name: fold(display_name), domains }))
    return this.#foldedNames
  }

  /** Returns the agents that members show to everybody, as every search compares them. */
  get foldedAgents(): readonly FoldedAgent[] {
    this.#foldedAgents ??= this.shownToAll.map(({ url, name, member }) => ({
      url,
      texts: [url, name ?? '', member.display_name].map(fold).join('\n'),
    }))
    return this.#foldedAgents
  }
}

function buildKeepers(members: readonly StoredMember[]): Map<string, AgentEnrolment> {
  const enrolments = members.flatMap(({ org_id, membership_tier: tier, domains, agents }) =>
    agents.map(({ url, visibility, enrolled_at }) => ({
      url,
      org_id,
      visibility,
      tier,
      enrolled_at,
      isOnOwnDomain: domains.some(domain => isOnDomain(url, domain)),
    })),
  )
  const byAgent = Map.groupBy(enrolments, ({ url }) => url)
  return new Map(
    [...byAgent].map(([url, group]) => [url, requireValue(chooseKeeper(group), 'enrolment')]),
  )
}

/**
 * Removes repeats of agents. Where several members enrolled one address, the holder of its domain
 * counts, else the last; the position is that of the first.
 */
function removeRepeats(agents: readonly EnrolledAgent[]): EnrolledAgent[] {
  const listed = new Map<string, EnrolledAgent>()
  for (const agent of agents) {
    const other = listed.get(agent.url)
    if (other === undefined || isOwn(agent) || !isOwn(other)) listed.set(agent.url, agent)
  }
  return [...listed.values()]
}

function isOwn({ url, member }: EnrolledAgent): boolean {
  return member.domains.some(domain => isOnDomain(url, domain))
}

const noMembers = new Members(0, [])
const latest = declareCache(() => new LatestValue<Members>())

/** Returns all members, as of the last commit; on a replica what everybody may know of them. */
export function getMembers(reader: Reader): Members {
  const { serving } = reader
  if (serving === undefined) return noMembers
  const { membersChanged } = serving
  if (membersChanged === 0) return noMembers
  return latest(reader).get([serving, membersChanged], () => {
    const all = reader.replica === undefined ? loadAll(reader) : listPublic(serving)
    return new Members(membersChanged, all)
  })
}

function loadAll({ record }: PrivateReader): StoredMember[] {
  return record ? loadStoredMembers(record) : []
}

function listPublic(serving: ServingStore): StoredMember[] {
  return [...serving.entries('member')].map(({ value }) => JSON.parse(value.toString()))
}

/** Returns the public part of a member whose profile is public. */
export function toPublicMember(
  member: StoredMember | undefined,
): { slug: string; display_name: string } | null {
  if (!member?.is_public) return null
  const { slug, display_name } = member
  return { slug, display_name }
}
