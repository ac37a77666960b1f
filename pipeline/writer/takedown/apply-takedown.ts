import { deletePrivateRows } from '../../accounts/taken-down-rows.ts'
import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { diffReach, type FacetCount } from '../../diff/reach.ts'
import type { SourceKind } from '../../model/documents/index.ts'
import type { Invalidated } from '../../model/invalidated.ts'
import type { Source } from '../../model/observation.ts'
import { toHistoryKey, toRevisionKey } from '../../serving/document-value.ts'
import { listGoneKeys } from '../../serving/gone-keys.ts'
import { hashAgent, toFreshnessKey, toHostedKey, toPointerKey } from '../../serving/keys.ts'
import { recordChanges } from '../../store/commit-notes.ts'
import type { Database } from '../../store/database.ts'
import { buildDomainCondition } from '../../store/domain-match.ts'
import { loadPublishers } from '../entities/publisher-rows.ts'
import { type DeletedRowsParameters, isListed, listDeletedRows, RECORDS } from './deleted-rows.ts'

/** Answers about other domains that must be derived again. */
export interface TakedownEffects {
  invalidated: Invalidated[]
  /** Publishers whose rows reached deleted ones. */
  publishers: Domain[]
  reached: FacetCount[]
}

/**
 * Deletes the rows of domains from every table. Answers about others that were read from their files are
 * derived again in the same commit, as if the files had expired. There are no events, since an event would
 * name the domain. Idempotent.
 */
export async function applyTakedown(
  db: Database,
  domains: readonly Domain[],
  stamp: { now: Instant; seq: number },
): Promise<TakedownEffects> {
  const { seq } = stamp
  const { parameters, rows, aliases } = await listDeletedRows(db, domains)
  const sources = await db.all<Source>(
    `select kind, location from crawl_state where ${buildDomainCondition('location')} order by kind, location`,
    parameters,
  )
  const reached = await removePublishers(db, parameters, seq)
  await recordDeletedKeys(db, parameters, seq)
  const publishers = await recordMerges(db, parameters, aliases, seq)
  for (const { table, condition, isLater } of rows) {
    if (!isLater) await db.write('delete from', table, `where ${condition}`, parameters)
  }
  deletePrivateRows(db.sqlite, domains, stamp)
  return { invalidated: sources.map(toInvalidated), publishers, reached }
}

function toInvalidated({ kind, location }: { kind: SourceKind; location: string }): Invalidated {
  return { kind, location, is_new: kind === 'agent', is_own: true, known_until: null }
}

/** Removes publishers; returns what they added to the facets of agents, which must be subtracted. */
async function removePublishers(
  db: Database,
  parameters: { domains: string },
  seq: number,
): Promise<FacetCount[]> {
  const rows = await db.all<{ domain: Domain; manager_domain: string | null }>(
    `select domain, manager_domain from publishers where ${buildDomainCondition('domain')}`,
    parameters,
  )
  const before = await loadPublishers(
    db,
    rows.map(({ domain }) => domain),
  )
  const nothing = { properties: [], authorizations: [] }
  for (const rows of before.values()) {
    await recordChanges(db, seq, { ...listGoneKeys(rows, nothing) })
  }
  const managers = rows.flatMap(({ manager_domain }) => manager_domain ?? [])
  await recordChanges(db, seq, { publisher: [...new Set(managers)] })
  return [...before.values()].flatMap(rows => diffReach(rows, { ...nothing }))
}

/** Records the keys that the projection must delete from the serving store. */
async function recordDeletedKeys(
  db: Database,
  parameters: { domains: string },
  seq: number,
): Promise<void> {
  const names = await db.all<{ name: string }>(
    `select location as name from crawl_state where ${buildDomainCondition('location')} and not contains(location, '://')
     union select domain from brands where ${buildDomainCondition('domain')}
     union select domain from entries where ${buildDomainCondition('domain')}
     union select domain from publishers where ${buildDomainCondition('domain')}`,
    parameters,
  )
  const domains = names.map(({ name }) => name)
  const files = await db.all<Source>(
    `select kind, location from crawl_state where ${buildDomainCondition('location')}`,
    parameters,
  )
  const requests = await db.all<{ id: string }>(
    `select crawl_request_id as id from shown_crawl_requests where ${buildDomainCondition('domain')}`,
    parameters,
  )
  const revisions = await db.all<{
    entity: 'brand' | 'property'
    domain: string
    revision_number: number
  }>(
    `select entity, domain, revision_number from revisions where ${buildDomainCondition('domain')}`,
    parameters,
  )
  const claimed = await db.all<{ publisher_domain: string }>(
    `select distinct publisher_domain from agent_claims
     where ${buildDomainCondition('publisher_domain')} or ${buildDomainCondition('agent_url')}`,
    parameters,
  )
  const profiles = await db.all<{ agent_url: string }>(
    `select agent_url from agent_profiles where ${buildDomainCondition('agent_url')}`,
    parameters,
  )
  const agents = files
    .filter(({ kind }) => kind === 'agent')
    .map(({ location }) => hashAgent(location))
  const histories = [...new Set(revisions.map(row => toHistoryKey(row.entity, row.domain)))]
  const numbered = revisions.map(row => toRevisionKey(row.entity, row.domain, row.revision_number))
  await recordChanges(db, seq, {
    agent_profile: profiles.map(({ agent_url }) => agent_url),
    claim: claimed.map(({ publisher_domain }) => publisher_domain),
    'gone brand': domains,
    'gone property': domains,
    'gone publisher': domains,
    'gone lookup': domains,
    'gone inventory': domains,
    'gone hosted': domains.flatMap(domain => [
      toHostedKey('adagents.json', domain),
      toHostedKey('brand.json', domain),
    ]),
    'gone pointer': domains.flatMap(domain => [
      toPointerKey('adagents.json', domain),
      toPointerKey('brand.json', domain),
    ]),
    'gone freshness': [
      ...new Set(files.map(({ kind, location }) => toFreshnessKey(kind, location))),
    ],
    'gone file': files
      .filter(({ kind }) => kind === 'adagents.json' || kind === 'brand.json')
      .map(({ kind, location }) => toPointerKey(kind, location)),
    'gone agent_timing': agents,
    'gone agent_health': agents,
    'gone crawl_request': requests.map(({ id }) => id),
    'gone revision': [...histories, ...numbered],
    'gone revision_content': numbered,
    'gone entry': histories,
  })
}

/** Records which merges go, and returns the publishers that must be derived again. */
async function recordMerges(
  db: Database,
  parameters: DeletedRowsParameters,
  aliases: readonly string[],
  seq: number,
): Promise<Domain[]> {
  if (parameters.rids === '[]') return []
  const others = await db.all<{ domain: Domain }>(
    `select publisher_domain as domain from property_sets
     where exists (select 1 from json_each(property_rids) where value in (select value from json_each($rids)))
     union select publisher_domain from ${RECORDS} where ${isListed('rid', '$aliases')}`,
    parameters,
  )
  await recordChanges(db, seq, { 'gone alias': [...aliases] })
  return others.map(({ domain }) => domain)
}
