import { getFirst } from '../../core/present.ts'
import type { Identifier } from '../../model/documents/index.ts'
import type { BrandRow } from '../../model/rows.ts'
import { listBrandFiles } from '../../resolve/deciding-files.ts'
import { listLookupKeys } from '../../resolve/identifiers.ts'
import { Declarations, type Declared, type Operator } from '../../resolve/operator.ts'
import {
  type Affiliation,
  isAffiliated,
  judgeDeclared,
  listAffiliation,
} from '../../resolve/operator-side.ts'
import { hasAliases } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'
import { publisherRows } from '../../store/entries.ts'
import { updateOperators } from './operators.ts'

/** Publishers whose properties are held in memory at a time. */
const PUBLISHERS_AT_A_TIME = 500

interface Touched {
  /** Files with other declarations than before, or that speak for other agents. */
  locations: readonly string[]
  /** Publishers with other grants or properties. */
  publishers: readonly string[]
  /** Domains of another house or brand, publishers or not. */
  branded: readonly string[]
}

/**
 * Judges again what operators declare about granted properties: those of operators whose file changed, and
 * those of publishers that did. Only agents whose operator declares anything cost more than one query.
 */
export async function updateOperatorSides(db: Database, touched: Touched): Promise<void> {
  const { locations } = touched
  const publishers = await listPublishers(db, touched)
  if (locations.length === 0 && publishers.length === 0) return
  const parameters = {
    locations: JSON.stringify(locations),
    publishers: JSON.stringify(publishers),
  }
  const before = await db.all<{ publisher_domain: string }>(
    `select distinct publisher_domain from operator_sides where ${TOUCHED}`,
    parameters,
  )
  const selected = [
    ...(publishers.length > 0 ? [GRANTS_OF_PUBLISHERS] : []),
    ...(locations.length > 0 ? [GRANTS_TO_AGENTS] : []),
  ]
  const grants = await db.all<Grants>(`${selected.join(' union ')} order by 1, 2, 3, 5`, parameters)
  if (before.length > 0)
    await db.write('delete from', 'operator_sides', `where ${TOUCHED}`, parameters)
  const byPublisher = [...Map.groupBy(grants, row => row.publisher_domain)]
  for (let at = 0; at < byPublisher.length; at += PUBLISHERS_AT_A_TIME) {
    const slice = byPublisher.slice(at, at + PUBLISHERS_AT_A_TIME)
    await db.insert('operator_sides', await judgePublishers(db, new Map(slice)))
  }
}

/** Derives the operators of all agents, and what these declare, in an index that an older version wrote. */
export async function fillOperators(db: Database): Promise<void> {
  const agents = await db.all<{ agent_url: string }>(
    `select agent_url from (select agent_url from agents union select agent_url from agent_declarations)
     where not exists (select 1 from agent_operators)`,
  )
  if (agents.length === 0) return
  await db.transaction(async () => {
    const locations = await updateOperators(
      db,
      agents.map(({ agent_url }) => agent_url),
    )
    await updateOperatorSides(db, { locations, publishers: [], branded: [] })
  })
}

const TOUCHED = `(location in (select value from json_each($locations))
  or publisher_domain in (select value from json_each($publishers)))`

/** Property sets that agents of one operator are granted, by how they sell them. */
interface Grants extends Operator {
  publisher_domain: string
  delegation_type: string | null
  sets: string[]
}

/** Selects them from a part of the grants, so that a commit reads no others. */
const selectGrants = (grants: string) => `
select publisher_domain, o.location, o.domain, true as "names_agent [boolean]", delegation_type,
  json_group_array(distinct property_set order by property_set) as "sets [json]"
from ${grants} join agent_operators o using (agent_url)
where property_set is not null and o.location in (select location from property_declarations)
group by publisher_domain, o.location, o.domain, delegation_type`

const GRANTS_OF_PUBLISHERS = selectGrants(`(select * from authorizations
  where publisher_domain in (select value from json_each($publishers)))`)
const GRANTS_TO_AGENTS = selectGrants(`(select * from authorizations
  where agent_url in (select agent_url from agent_operators
    where location in (select value from json_each($locations))))`)

/** Lists the publishers whose grants must be judged again, whatever their operators. */
async function listPublishers(db: Database, { publishers, branded }: Touched): Promise<string[]> {
  const known = branded.length > 0 ? (await publisherRows.read(db, branded)).keys() : []
  const merged = await listMergedInto(db, publishers)
  return [...new Set([...publishers, ...known, ...merged])]
}

/** Lists the publishers of properties that were merged into those of others. */
async function listMergedInto(db: Database, publishers: readonly string[]): Promise<string[]> {
  if (publishers.length === 0 || !(await hasAliases(db))) return []
  const rows = await db.all<{ publisher_domain: string }>(
    `select distinct p.publisher_domain from aliases a
     join properties c on c.property_rid = a.canonical_rid
     join properties p on p.property_rid = a.alias_rid
     where c.publisher_domain in (select value from json_each($publishers))`,
    { publishers: JSON.stringify(publishers) },
  )
  return rows.map(row => row.publisher_domain)
}

async function judgePublishers(
  db: Database,
  grants: ReadonlyMap<string, readonly Grants[]>,
): Promise<object[]> {
  const all = [...grants.values()].flat()
  const declarations = await loadDeclarations(db, [...new Set(all.map(row => row.location))])
  const sets = await loadSets(db, [...new Set(all.flatMap(row => row.sets))])
  const affiliations = await loadAffiliations(db, [...grants.keys()])
  return [...grants].flatMap(([publisher_domain, rows]) => {
    const own = [...new Set(rows.flatMap(row => row.sets))].flatMap(id => sets.get(id) ?? [])
    const byKey = indexByKey(own)
    const affiliation = affiliations.get(publisher_domain)
    return [...Map.groupBy(rows, row => row.location)].flatMap(([location, alike]) => {
      const operator = getFirst(alike)
      const operating = {
        operator,
        declared: declarations.get(location),
        ownsSite: () => affiliation !== undefined && isAffiliated(operator, affiliation),
      }
      const granted = alike.map(({ delegation_type, sets: ids }) => {
        const reached = new Set(
          ids.flatMap(id => (sets.get(id) ?? []).map(({ property_rid }) => property_rid)),
        )
        return { delegation_type, reaches: (rid: string) => reached.has(rid) }
      })
      return judgeDeclared(byKey, granted, publisher_domain, operating).map(row => ({
        location,
        publisher_domain,
        ...row,
      }))
    })
  })
}

interface Reached {
  property_rid: string
  identifiers: Identifier[]
}

function indexByKey(properties: readonly Reached[]): Map<string, Reached[]> {
  const byKey = new Map<string, Reached[]>()
  const once = new Map(properties.map(property => [property.property_rid, property]))
  for (const property of once.values()) {
    for (const key of new Set(property.identifiers.flatMap(listLookupKeys))) {
      const same = byKey.get(key)
      if (same) same.push(property)
      else byKey.set(key, [property])
    }
  }
  return byKey
}

async function loadSets(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Reached[]>> {
  const rows = await db.all<{ set_id: string; property_rids: string[] }>(
    `select set_id, property_rids from property_sets
     where set_id in (select value from json_each($sets))`,
    { sets: JSON.stringify(ids) },
  )
  const rids = [...new Set(rows.flatMap(row => row.property_rids))]
  const properties = await db.all<Reached>(
    `select property_rid, identifiers from properties
     where property_rid in (select value from json_each($rids))`,
    { rids: JSON.stringify(rids) },
  )
  const known = new Map(properties.map(property => [property.property_rid, property]))
  return new Map(
    rows.map(({ set_id, property_rids }) => [
      set_id,
      property_rids.flatMap(rid => known.get(rid) ?? []),
    ]),
  )
}

async function loadDeclarations(
  db: Database,
  locations: readonly string[],
): Promise<ReadonlyMap<string, Declarations>> {
  const rows = await db.all<Declared & { location: string; store: string | null }>(
    `select * from property_declarations
     where location in (select value from json_each($locations))`,
    { locations: JSON.stringify(locations) },
  )
  return new Map(
    [...Map.groupBy(rows, row => row.location)].map(([location, declared]) => [
      location,
      new Declarations(
        declared.map(({ store, ...row }) => (store === null ? row : { ...row, store })),
      ),
    ]),
  )
}

/** Loads the houses and brands of publishers, by which an operator may own their sites. */
async function loadAffiliations(
  db: Database,
  domains: readonly string[],
): Promise<ReadonlyMap<string, Affiliation>> {
  const rows = await db.all<BrandRow>(
    `select domain, source, canonical_domain, house_domain, claimed_house_domain, resolved_location
     from brands where domain in (select value from json_each($domains))`,
    { domains: JSON.stringify(domains) },
  )
  return new Map(
    rows.map(row => {
      const locations = listBrandFiles(row).map(({ location }) => location)
      return [row.domain, listAffiliation(row, locations)]
    }),
  )
}
