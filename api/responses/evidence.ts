import { computeOnce } from '../../pipeline/core/compute-once.ts'
import { getAt, getFirst, getLast } from '../../pipeline/core/present.ts'
import { type Source, toUrl } from '../../pipeline/model/observation.ts'
import { operatorTexts } from '../../pipeline/model/operator-side.ts'
import type { Evidence } from '../../pipeline/model/responses/authority.ts'
import type { FreshnessBlock } from '../../pipeline/model/responses/index.ts'
import { listFilesOfPublisher } from '../../pipeline/read/lookups/deciding-files.ts'
import { findFreshness, findTargets } from '../../pipeline/read/lookups/stored.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import {
  type DecidingRules,
  type ForSale,
  type GrantInForce,
  judgeOperatorSide,
  judgePublisherSide,
  type PublisherRule,
  type PublisherStep,
  type Verdict,
  weight,
} from '../../pipeline/resolve/authority.ts'
import type { OperatorSide } from '../../pipeline/resolve/operator-side.ts'
import { buildListPartEnd, type LongList } from './list-parts.ts'

/** Entries of a brand.json in one step of the evidence. */
const DECLARED_SHOWN_MAX = 20

/** Sentences of the evidence for the publisher's side, by rule. */
export const publisherTexts: Readonly<Record<PublisherRule, string>> = {
  granted: 'this entry authorizes the agent',
  file_not_known: 'the registry has no valid file from the publisher, so it cannot tell',
  left_out_too_broad:
    'the file is too broad to be read in full and may say more, so the registry cannot tell',
  agent_not_listed: 'the file has no entry that authorizes this agent for this publisher',
  property_not_active: 'the property is not active',
  property_not_reached: 'the entry does not cover this property',
  not_in_window: 'the entry was not in force at the time of the check',
  country_not_asked: 'the entry is limited to some countries, and this check does not name one',
  country_not_listed: 'the entry does not cover that country',
  collection_not_asked:
    'the entry is limited to some collections, and this check does not name one',
  collection_not_listed: 'the entry does not cover that collection',
  placement_not_asked: 'the entry is limited to some placements, and this check does not name one',
  placement_not_known: 'the file lists no such placement on this property',
  placement_not_in_collection: 'the placement is not in that collection',
  placement_not_listed: 'the entry does not cover that placement',
  delegation_not_stated: 'the entry does not say how the agent sells',
  delegation_differs: 'the entry says that the agent sells in a different way',
}

/**
 * Lists the evidence of a verdict: the file, the entry, the time it was read and the deciding rule. A file
 * may name an agent a thousand times, and each is a step, the deciding one first. The list `declared` within a step begins at
 * `declaredCursor`.
 */
export function listEvidence(
  reader: Reader,
  property: ForSale | undefined,
  publisher: CitedPublisher,
  operating: OperatorSide,
  { judged }: Verdict,
  declaredCursor = '0',
): LongList<Evidence> {
  const about = property && {
    property_rid: property.property_rid,
    ...(property.property_id !== null && { property_id: property.property_id }),
  }
  const { length } = judged.publisher
  let sorted: readonly PublisherStep[] | undefined
  const getStep = (index: number) => {
    sorted ??= sortSteps(judged)
    return getAt(sorted, index)
  }
  return {
    total: length + 1,
    build: index => ({
      ...about,
      ...(index < length
        ? buildPublisherEvidence(publisher, getStep(index))
        : buildOperatorEvidence(
            reader,
            property,
            operating,
            judged.operator,
            Number(declaredCursor),
          )),
    }),
  }
}

/** Sorts what the entries of a file say: what decided, then what grants, then what does not deny. */
function sortSteps({ publisher, deciding }: DecidingRules): PublisherStep[] {
  const rank = (step: PublisherStep) =>
    step === deciding ? 3 : weight[judgePublisherSide(step.rule)]
  return publisher.toSorted((a, b) => rank(b) - rank(a))
}

/** A publisher whose file steps of the evidence cite: it is found for the first of them. */
export interface CitedPublisher {
  domain: string
  getFile(): ReturnType<typeof findPublisherFile>
}

export function createCitedPublisher(reader: Reader, domain: string): CitedPublisher {
  return { domain, getFile: computeOnce(() => findPublisherFile(reader, domain)) }
}

/** Builds what one entry of a publisher’s file says of a sale, or the file as a whole. */
export function buildPublisherEvidence(
  { domain, getFile }: CitedPublisher,
  { rule, grant }: PublisherStep,
): Evidence {
  const file = getFile()
  return {
    side: 'publisher',
    domain,
    ...file,
    ...(grant && toEvidenceEntry(grant, domain)),
    rule,
    says: judgePublisherSide(rule),
    text: `${publisherTexts[rule]}${grant ? describeVersion(file) : ''}`,
  }
}

/** Says which version of a file counts where the one that is served now cannot be used. */
function describeVersion({ file_state, fetched_at }: Pick<Evidence, 'file_state' | 'fetched_at'>) {
  if (file_state !== 'invalid' || fetched_at === undefined) return ''
  return `; the file is invalid now, and its last valid version, from ${fetched_at.slice(0, 10)}, counts`
}

function toEvidenceEntry(grant: GrantInForce, publisher: string) {
  const shown = {
    entry: `authorized_agents[${grant.entry}]`,
    authorization_type: grant.authorization_type,
    delegation_type: grant.delegation_type,
    exclusive: grant.exclusive ?? null,
    countries: grant.countries,
    effective_from: grant.effective_from,
    effective_until: grant.effective_until,
    placement_ids: grant.placement_ids,
    placement_tags: grant.placement_tags,
    collection_ids: listOwnCollections(grant, publisher),
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
}

/** Lists the collections of one publisher: an entry of a network lists those of thousands. */
function listOwnCollections({ collections }: GrantInForce, publisher: string): string[] | null {
  if (collections === null) return null
  return collections
    .filter(({ publisher_domain }) => publisher_domain === publisher)
    .flatMap(({ collection_ids }) => collection_ids)
}

/**
 * Finds the file that was read last, and the files that led to it, in order; includes a file that could not
 * be used.
 */
function findPublisherFile(reader: Reader, domain: string) {
  const deciding = listFilesOfPublisher(reader, domain)
  const targets = new Map(
    findTargets(reader, getFirst(deciding)).map(({ source, freshness }) => [
      source.location,
      freshness,
    ]),
  )
  const files = deciding.map(file => describeFile(reader, file, targets.get(file.location)))
  const { file, ...read } = getLast(files)
  // A file that the registry serves itself is never fetched: the file that led there stands for it.
  const { file: _, ...led } = read.file_state === 'never_crawled' ? getFirst(files) : getLast(files)
  for (const { location } of deciding) targets.delete(location)
  const kind = getFirst(deciding).kind
  const unused = [...targets].map(([location, freshness]) =>
    describeFile(reader, { kind, location }, freshness),
  )
  const all = [...files, ...unused]
  return { file, ...led, ...(all.length > 1 && { files: all }) }
}

function describeFile(
  reader: Reader,
  source: Source,
  { state, succeeded_at }: FreshnessBlock = findFreshness(reader, source.kind, source.location),
) {
  return {
    file: toUrl(source),
    file_state: state,
    ...(succeeded_at !== undefined && { fetched_at: succeeded_at }),
  }
}

function buildOperatorEvidence(
  reader: Reader,
  property: ForSale | undefined,
  { operator, declared }: OperatorSide,
  { rule, delegation }: Verdict['judged']['operator'],
  start: number,
): Evidence {
  const found = (property && declared?.listFor(property.identifiers)) ?? []
  const shown = found.slice(start, start + DECLARED_SHOWN_MAX)
  return {
    side: 'operator',
    ...(operator && {
      domain: operator.domain,
      names_agent: operator.names_agent,
      ...describeFile(reader, { kind: 'brand.json', location: operator.location }),
    }),
    ...(found.length > 0 && {
      declared: shown.map(({ brand_id, type, identifier, relationship }) => ({
        brand_id,
        type,
        identifier,
        relationship,
      })),
      ...buildListPartEnd('declared', start, shown.length, found.length),
    }),
    ...(delegation !== undefined && { delegation_type: delegation }),
    rule,
    says: judgeOperatorSide(rule),
    text: operatorTexts[rule],
  }
}
