import type { Domain } from '../../core/domain.ts'
import { getFirst } from '../../core/present.ts'
import { buildClaimRows, claimFacts } from '../../diff/claims.ts'
import { diff } from '../../diff/diff.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { ClaimRow } from '../../model/rows.ts'
import type { Claim } from '../../resolve/claims.ts'
import type { NoPublisher, PublisherFacts } from '../../resolve/publisher.ts'
import type { Database } from '../../store/database.ts'
import { writeChanges } from '../../store/row-writes.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'

/** Claims that are held in memory at a time, with the current ones: a file may make hundreds of thousands. */
const SLICE_CLAIMS_MAX = 20_000

/** Some of the claims of a file: those of some agents, or of one about publishers within a range. */
export interface ClaimSlice {
  agents: readonly string[]
  /** First publisher. */
  from?: string | undefined
  /** Publisher before which it ends. */
  to?: string | undefined
}

export interface ClaimContext {
  domain: Domain
  facts: PublisherFacts | NoPublisher
  /** Slices that are left of an answer which commits before took on in part. */
  slices?: readonly ClaimSlice[]
}

type Context = RowStamp & { takenDown: TakenDown }

/**
 * Writes the differences in the claims of these domains' files. They last as long as grants do:
 * while a file is stale, until it has expired. A claim has no event, since it authorizes nobody. Of
 * domains that are written in portions one slice is written, and the others are returned.
 */
export async function updateClaims(
  db: Database,
  answered: readonly ClaimContext[],
  stamp: Context,
  isInPortions: (domain: Domain) => boolean = () => false,
): Promise<Map<Domain, readonly ClaimSlice[]>> {
  const begun = answered.filter(({ slices }) => slices !== undefined)
  const fresh = answered.filter(({ slices }) => slices === undefined)
  const isMany = await findManyClaims(db, fresh)
  const isQuick = ({ domain, facts }: ClaimContext) =>
    listClaims(facts, stamp).length <= SLICE_CLAIMS_MAX && !isMany.has(domain)
  const quick = fresh.filter(isQuick)
  await updateSlice(
    db,
    quick.map(({ domain, facts }) => ({ domain, claims: listClaims(facts, stamp) })),
    stamp,
  )
  const left = new Map<Domain, readonly ClaimSlice[]>()
  let isRoom = true
  for (const subject of [...begun, ...fresh.filter(subject => !isQuick(subject))]) {
    const { domain, facts } = subject
    const claims = listClaims(facts, stamp)
    const slices = subject.slices ?? (await cutClaims(db, domain, claims))
    const now: readonly ClaimSlice[] = isInPortions(domain)
      ? slices.slice(0, isRoom ? 1 : 0)
      : slices
    for (const slice of now) await updateSlice(db, [selectClaims(domain, claims, slice)], stamp)
    isRoom &&= now.length === 0
    if (now.length < slices.length) left.set(domain, slices.slice(now.length))
  }
  return left
}

function listClaims(facts: PublisherFacts | NoPublisher, { takenDown }: Context): readonly Claim[] {
  if (facts.validity === 'expired' || !facts.document) return []
  return facts.claims.filter(claim => !takenDown.covers(claim.publisher_domain))
}

/** Finds domains that have very many claims. */
async function findManyClaims(
  db: Database,
  answered: readonly { domain: Domain }[],
): Promise<Set<string>> {
  if (answered.length === 0) return new Set()
  const rows = await db.all<{ domain: string }>(
    `select manager_domain as domain from claims
     where manager_domain in (select value from json_each($domains))
     group by manager_domain having count(*) > ${SLICE_CLAIMS_MAX}`,
    { domains: JSON.stringify(answered.map(({ domain }) => domain)) },
  )
  return new Set(rows.map(({ domain }) => domain))
}

/**
 * Cuts the claims of a file and the current ones into slices: agent by agent, and an agent with more claims
 * by ranges of publishers.
 */
async function cutClaims(
  db: Database,
  domain: Domain,
  claims: readonly Claim[],
): Promise<ClaimSlice[]> {
  const byAgent = Map.groupBy(claims, ({ entry }) => entry.agent_url)
  const stored = await db.all<{ agent_url: string; n: number }>(
    `select agent_url, count(*) as n from claims where manager_domain = $domain group by agent_url`,
    { domain },
  )
  const counts = new Map(stored.map(({ agent_url, n }) => [agent_url, n]))
  const slices: ClaimSlice[] = []
  let agents: string[] = []
  let rows = 0
  for (const agent of new Set([...byAgent.keys(), ...counts.keys()])) {
    const own = byAgent.get(agent) ?? []
    const size = own.length + (counts.get(agent) ?? 0)
    if (size > SLICE_CLAIMS_MAX) {
      slices.push(...(await cutAgent(db, domain, agent, own)))
      continue
    }
    if (rows + size > SLICE_CLAIMS_MAX) {
      slices.push({ agents })
      agents = []
      rows = 0
    }
    agents.push(agent)
    rows += size
  }
  return agents.length > 0 ? [...slices, { agents }] : slices
}

async function cutAgent(
  db: Database,
  domain: Domain,
  agent: string,
  claims: readonly Claim[],
): Promise<ClaimSlice[]> {
  const stored = await db.all<{ publisher_domain: string }>(
    'select publisher_domain from claims where manager_domain = $domain and agent_url = $agent',
    { domain, agent },
  )
  const publishers = [...stored, ...claims].map(claim => claim.publisher_domain).sort()
  const starts = new Set(
    publishers.filter((_, place) => place > 0 && place % SLICE_CLAIMS_MAX === 0),
  )
  const bounds = [undefined, ...starts]
  return bounds.map((from, place) => ({ agents: [agent], from, to: bounds[place + 1] }))
}

interface Sliced {
  domain: Domain
  claims: readonly Claim[]
  /** All claims of the agents, where `claims` are not. */
  all?: readonly Claim[]
  /** By default all claims of the domain are given. */
  slice?: ClaimSlice
}

function selectClaims(domain: Domain, claims: readonly Claim[], slice: ClaimSlice): Sliced {
  const { agents, from = '', to } = slice
  const among = new Set(agents)
  const all = claims.filter(({ entry }) => among.has(entry.agent_url))
  const own = all.filter(
    ({ publisher_domain: name }) => name >= from && (to === undefined || name < to),
  )
  return { domain, claims: own, all, slice }
}

/** Updates all claims of these domains, or of a slice of one. */
async function updateSlice(db: Database, sliced: readonly Sliced[], stamp: Context): Promise<void> {
  if (sliced.length === 0) return
  const { agents = [], from, to } = getFirst(sliced).slice ?? {}
  const rows = await db.all<ClaimRow>(
    `select * from claims where manager_domain in (select value from json_each($domains))
     ${agents.length > 0 ? `and agent_url in (select value from json_each($agents))` : ''}
     ${from === undefined ? '' : 'and publisher_domain >= $from'}
     ${to === undefined ? '' : 'and publisher_domain < $to'}`,
    {
      domains: JSON.stringify(sliced.map(({ domain }) => domain)),
      agents: JSON.stringify(agents),
      from: from ?? '',
      to: to ?? '',
    },
  )
  const before = Map.groupBy(rows, row => row.manager_domain)
  const changes = sliced.flatMap(({ domain, claims, all }) => {
    const old = before.get(domain) ?? []
    const fresh = buildClaimRows(domain, claims, old, stamp, all)
    return diff(old, fresh, row => row.claim_id, claimFacts)
  })
  await writeChanges(db, 'claims', 'claim_id', changes)
}
