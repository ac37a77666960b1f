import { hashAgent, toFreshnessKey } from '../../serving/keys.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { listDomains } from '../entities/agent-claims.ts'
import { isNamed, keepAgentSources, type ProbeContext } from '../entities/agent-sources.ts'

/** All agents that a member shows to everybody. */
export interface Enrolment {
  org_id: string
  agents: readonly string[]
}

/**
 * Applies which agents members show to everybody. Public agents are probed. An agent that is no longer
 * public, and that no file names, is deleted: only its member may know of it.
 */
export async function applyEnrolments(
  db: Database,
  enrolments: readonly Enrolment[],
  context: ProbeContext,
): Promise<void> {
  if (enrolments.length === 0) return
  const orgs = { orgs: JSON.stringify(enrolments.map(({ org_id }) => org_id)) }
  const theirs = `org_id in (select value from json_each($orgs))`
  const before = await db.all<Enrolled>(
    `select org_id, agent_url from enrolled_agents where ${theirs}`,
    orgs,
  )
  const after = enrolments.flatMap(({ org_id, agents }) =>
    agents.map((agent_url): Enrolled => ({ org_id, agent_url })),
  )
  const added = subtract(after, before)
  const gone = subtract(before, after)
  for (const { org_id, agent_url } of gone) {
    await db.write(
      'delete from',
      'enrolled_agents',
      'where org_id = $org_id and agent_url = $agent_url',
      {
        org_id,
        agent_url,
      },
    )
  }
  const { seq } = context
  await db.insert(
    'enrolled_agents',
    added.map(row => ({ ...row, seq })),
  )
  const changed = [...added, ...gone].map(({ agent_url }) => agent_url)
  await keepAgentSources(db, changed, [], context)
  await deleteAgents(
    db,
    gone.map(({ agent_url }) => agent_url),
    seq,
  )
}

interface Enrolled {
  org_id: string
  agent_url: string
}

function subtract(rows: readonly Enrolled[], others: readonly Enrolled[]): Enrolled[] {
  const toKey = ({ org_id, agent_url }: Enrolled) => `${org_id} ${agent_url}`
  const known = new Set(others.map(toKey))
  return rows.filter(row => !known.has(toKey(row)))
}

/**
 * Deletes everything about agents that are neither public nor named: their address may be private
 * now.
 */
async function deleteAgents(db: Database, agents: readonly string[], seq: number): Promise<void> {
  if (agents.length === 0) return
  const unnamed = (key: string) => `${key} in (
    select value from (select value from json_each($agents)) where not ${isNamed('value')})`
  const parameters = { agents: JSON.stringify(agents) }
  const known = await db.all<{ location: string }>(
    `select location from crawl_state where kind = 'agent' and ${unnamed('location')}`,
    parameters,
  )
  const claims = await db.all<{ publisher_domain: string }>(
    `select publisher_domain from agent_claims where ${unnamed('agent_url')}`,
    parameters,
  )
  for (const table of ['documents', 'crawl_state']) {
    await db.write(
      'delete from',
      table,
      `where kind = 'agent' and ${unnamed('location')}`,
      parameters,
    )
  }
  db.notes?.forgetAttempts()
  await db.write('delete from', 'agent_health', `where ${unnamed('location')}`, parameters)
  for (const table of ['agent_profiles', 'agent_claims']) {
    await db.write('delete from', table, `where ${unnamed('agent_url')}`, parameters)
  }
  await recordChanges(db, seq, {
    freshness_gone: known.map(({ location }) => toFreshnessKey('agent', location)),
    'gone agent_timing': known.map(({ location }) => hashAgent(location)),
    'gone agent_health': known.map(({ location }) => hashAgent(location)),
    agent_profile: agents,
    claim: listDomains(claims),
  })
}
