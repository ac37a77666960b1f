import { countThings } from '../../pipeline/core/counts.ts'
import type { Tier } from '../../pipeline/core/tiers.ts'
import type { StoredMember } from '../../pipeline/model/accounts/member.ts'
import { loadStoredMembers } from '../../pipeline/store/private-rows/member-rows.ts'
import { readSettings } from './environment.ts'
import { readRecord } from './reading.ts'
import { performOrExit, unwrapOrExit } from './running.ts'
import { formatTable } from './text.ts'

interface Profile {
  slug?: string
  displayName?: string
  founding?: boolean
  public?: boolean
  tier?: Tier | 'none'
  /** Sets the tier although billing writes it. */
  force?: boolean
}

/** Makes an organization a member. */
export async function createMember(options: Profile & { org: string }): Promise<void> {
  requireTierWriter(options)
  const done = await submit({ op: 'member.create', org: options.org, ...toProfile(options) })
  if (options.tier) await setTier(options.org, options.tier)
  process.stdout.write(`${done.slug}\n`)
}

/** Changes the given properties of a member and keeps the others. */
export async function changeMember(options: Profile & { org: string }): Promise<void> {
  requireTierWriter(options)
  const done = await submit({ op: 'member.update', org: options.org, ...toProfile(options) })
  if (options.tier) await setTier(options.org, options.tier)
  process.stdout.write(`${done.slug}\n`)
}

/** Refuses to set a tier where billing does: its next event would replace it. */
function requireTierWriter({ tier, force = false }: Profile): void {
  if (tier === undefined || force || readSettings().BILLING_WEBHOOK_SECRET === undefined) return
  unwrapOrExit({
    refused:
      'billing sets the tiers of this registry (BILLING_WEBHOOK_SECRET). To set one anyway, add --force',
  })
}

async function setTier(org: string, tier: Tier | 'none'): Promise<void> {
  const done = await submit({ op: 'member.tier', org, tier: tier === 'none' ? null : tier })
  if (Number(done.demoted) > 0) {
    process.stderr.write(
      `${countThings(Number(done.demoted), 'public agent is', 'public agents are')} now visible to members only.\n`,
    )
  }
}

interface AgentOptions {
  org: string
  type?: string
  name?: string
  visibility?: string
}

/** Enrols an agent, or changes the given properties of one. */
export async function addAgent(url: string, options: AgentOptions): Promise<void> {
  const { agent, warnings } = (await submit({ op: 'member.agent.save', url, ...options })) as {
    agent: { url: string; visibility: string }
    warnings?: { message: string }[]
  }
  for (const { message } of warnings ?? []) process.stderr.write(`${message}\n`)
  process.stdout.write(`${agent.url} is ${agent.visibility}\n`)
}

export async function removeAgent(url: string, { org }: { org: string }): Promise<void> {
  await submit({ op: 'member.agent.remove', org, url })
  process.stdout.write(`Removed ${url} from ${org}.\n`)
}

interface DomainOptions {
  org: string
  /** Adds it although it looks like another name. */
  confirm?: boolean
}

export async function addDomain(domain: string, { org, confirm }: DomainOptions): Promise<void> {
  const added = { op: 'organization.domain.add', org, domain, proof: 'operator' }
  const done = await submit({ ...added, ...(confirm && { is_confirmed: true }) })
  process.stdout.write(`${done.domain} now belongs to ${org}.\n`)
}

export async function removeDomain(domain: string, { org }: { org: string }): Promise<void> {
  await submit({ op: 'organization.domain.remove', org, domain })
  process.stdout.write(`Removed ${domain} from ${org}.\n`)
}

export async function listMembers({ json }: { json?: boolean }): Promise<void> {
  const members = listStoredMembers()
  if (json) return void process.stdout.write(`${JSON.stringify(members)}\n`)
  if (members.length === 0) return void process.stdout.write('There are no members.\n')
  process.stdout.write(`${[formatMembers(members), ...formatAgents(members)].join('\n\n')}\n`)
}

function formatMembers(members: readonly StoredMember[]): string {
  const lines = members.map(member => [
    member.slug,
    member.org_name,
    member.membership_tier ?? 'none',
    member.is_public ? 'public' : 'private',
    member.is_founding ? 'yes' : 'no',
    member.domains.join(', '),
  ])
  return formatTable([
    ['MEMBER', 'ORGANIZATION', 'TIER', 'PROFILE', 'FOUNDING', 'DOMAINS'],
    ...lines,
  ])
}

/** Formats the agents of members as a table; none where there is no agent. */
function formatAgents(members: readonly StoredMember[]): string[] {
  const lines = members.flatMap(({ slug, agents }) =>
    agents.map(({ url, type, visibility }) => [slug, visibility, type, url]),
  )
  return lines.length === 0
    ? []
    : [formatTable([['MEMBER', 'VISIBLE TO', 'TYPE', 'AGENT'], ...lines])]
}

/** Submits one operation; a refusal is printed and ends the command. */
async function submit(values: Record<string, unknown>): Promise<Record<string, unknown>> {
  return performOrExit(readSettings(), values)
}

function toProfile({ slug, displayName, founding, public: is_public }: Profile) {
  return {
    ...(slug !== undefined && { slug }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(founding !== undefined && { is_founding: founding }),
    ...(is_public !== undefined && { is_public }),
  }
}

function listStoredMembers(): StoredMember[] {
  const members = readRecord(({ record }) => (record ? loadStoredMembers(record) : []))
  return members.sort((a, b) => (a.slug < b.slug ? -1 : 1))
}
