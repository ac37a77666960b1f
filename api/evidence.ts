import { findInventory } from '../pipeline/index/points/inventory.ts'
import { freshnessOf } from '../pipeline/index/points/stored.ts'
import type { Reader } from '../pipeline/index/reader.ts'
import type { Evidence } from '../pipeline/model/answers-authority.ts'
import { type FileKind, isUrl, urlOf } from '../pipeline/model/observation.ts'
import {
  type ForSale,
  type GrantInForce,
  type Operating,
  operatorSide,
  type PublisherRule,
  publisherSide,
  type Verdict,
} from '../pipeline/resolve/authority.ts'
import type { OperatorRule } from '../pipeline/resolve/operator.ts'

/** Grants that one verdict tells of; a file may name an agent a thousand times. */
const GRANTS_TOLD = 20

const publisherWords: Readonly<Record<PublisherRule, string>> = {
  granted: 'the entry grants this sale',
  file_not_known: 'no file of the publisher counts at present, so nothing can be said',
  agent_not_listed: 'the file grants this agent nothing',
  property_not_active: 'the property is not active',
  property_not_reached: 'the entry does not reach this property',
  not_in_window: 'the window of the entry is not open then',
  country_not_asked: 'the entry holds in certain countries, and none was named',
  country_not_listed: 'the entry does not hold in that country',
  collection_not_asked: 'the entry holds for certain collections, and none was named',
  collection_not_listed: 'the entry does not hold for that collection',
  placement_not_asked: 'the entry holds for certain placements, and none was named',
  placement_not_known: 'the file lists no such placement on this property',
  placement_not_listed: 'the entry does not hold for that placement',
  delegation_not_stated: 'the entry does not say which delegation it is',
  delegation_differs: 'the entry states another delegation',
}

const operatorWords: Readonly<Record<OperatorRule, string>> = {
  no_operator: 'the agent has no domain that could speak for it',
  no_brand_file: 'no brand.json of the operator counts at present, so nothing can be said',
  not_declared: 'the operator does not say that it sells the property',
  delegation_not_stated: 'the publisher does not say which delegation it is, so nothing compares',
  declared_alike: 'the operator declares the same relationship',
  owns_it: 'the operator is the publisher, and declares the property as its own',
  claims_to_own: 'the operator claims to own what is another’s',
  declared_otherwise: 'the operator declares another relationship',
}

/** What a verdict was made of: the file, the entry, when it was read, and the rule that counted. */
export function evidenceOf(
  reader: Reader,
  property: ForSale | undefined,
  publisher: string,
  operating: Operating,
  { judged }: Verdict,
): Evidence[] {
  const about = property && {
    property_rid: property.property_rid,
    ...(property.property_id !== null && { property_id: property.property_id }),
  }
  return [
    ...judged.publisher.slice(0, GRANTS_TOLD).map(({ rule, grant }) => ({
      side: 'publisher' as const,
      domain: publisher,
      ...about,
      ...publisherFile(reader, publisher),
      ...(grant && entryOf(grant)),
      rule,
      says: publisherSide(rule),
      text: publisherWords[rule],
    })),
    { ...about, ...operatorEvidence(reader, property, operating, judged.operator) },
  ]
}

function entryOf(grant: GrantInForce) {
  const shown = {
    entry: `authorized_agents[${grant.entry}]`,
    authorization_type: grant.authorization_type,
    delegation_type: grant.delegation_type,
    countries: grant.countries,
    effective_from: grant.effective_from,
    effective_until: grant.effective_until,
    placement_ids: grant.placement_ids,
    placement_tags: grant.placement_tags,
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
}

function publisherFile(reader: Reader, domain: string) {
  const stored = findInventory(reader, domain)?.stored
  return fileOf(reader, 'adagents.json', stored?.resolved_location ?? domain, domain)
}

/** Of a file at an address it is known when the domain that leads there was read. */
function fileOf(reader: Reader, kind: FileKind, location: string, domain: string) {
  const { state, succeeded_at } = freshnessOf(reader, kind, isUrl(location) ? domain : location)
  const file = urlOf({ kind, location })
  return {
    file,
    file_state: state,
    ...(succeeded_at !== undefined && { fetched_at: succeeded_at }),
  }
}

function operatorEvidence(
  reader: Reader,
  property: ForSale | undefined,
  { operator, declared }: Operating,
  { rule, delegation }: Verdict['judged']['operator'],
): Evidence {
  const found = (property && declared?.of(property.identifiers)) ?? []
  return {
    side: 'operator',
    ...(operator && {
      domain: operator.domain,
      names_agent: operator.names_agent,
      ...fileOf(reader, 'brand.json', operator.location, operator.domain),
    }),
    ...(found.length > 0 && {
      declared: found.slice(0, GRANTS_TOLD).map(({ brand_id, type, identifier, relationship }) => ({
        brand_id,
        type,
        identifier,
        relationship,
      })),
    }),
    ...(delegation !== undefined && { delegation_type: delegation }),
    rule,
    says: operatorSide(rule),
    text: operatorWords[rule],
  }
}
