import { toIso } from '../../../pipeline/core/clock.ts'
import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import type { Source } from '../../../pipeline/model/observation.ts'
import type {
  DomainLookup,
  FreshnessBlock,
  PublisherLookup,
} from '../../../pipeline/model/responses/index.ts'
import { findInventory } from '../../../pipeline/read/lookups/inventory.ts'
import { findHostedByOwner } from '../../../pipeline/read/lookups/ownership.ts'
import type { Reader } from '../../../pipeline/read/reader.ts'
import { propertyHistory } from '../../routes/community/history.ts'
import { readPropertyRevision } from '../../routes/community/revisions.ts'
import { lookUpDomain, lookUpPublisher } from '../../routes/lookups.ts'
import { loadIssues } from '../counted-faults.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { capitalize, clipText, formatDate, renderName } from '../html/text.tsx'
import { buildPages } from '../list-page.ts'
import { renderSection, renderTiles, renderTitle } from '../parts/blocks.tsx'
import { type Edits, loadEdits, renderHistory } from '../parts/edits.tsx'
import { renderAgent } from '../parts/events.tsx'
import { findFaces } from '../parts/faces.tsx'
import { type CountedFaults, describeCounted, renderIssues } from '../parts/faults.tsx'
import { renderBadge, renderFreshness } from '../parts/freshness.tsx'
import { renderMeant, renderOwnerLinks } from '../parts/owner-links.tsx'
import { toBrandPath, toPublisherPath } from '../parts/paths.ts'
import { renderProblem } from '../parts/problem.tsx'
import {
  describeUnknown,
  isHostedOnly,
  isNothing,
  renderAgents,
  renderHosting,
  renderInventory,
  renderNextStep,
} from '../parts/publisher.tsx'
import {
  chooseFileLook,
  countAll,
  describeFileState,
  isServedValid,
  toDecidingSource,
} from '../parts/publisher-file.ts'
import { loadTerms } from '../parts/terms.tsx'
import { renderWatch } from '../parts/watch.tsx'
import { loadRevoker } from '../revocation.ts'
import type { View, ViewCall } from '../view.ts'
import { loadShownFile } from '../withheld-file.ts'

/** Rows of each list on a page. */
const ROWS_SHOWN = 40
const MARK_PX = 64

interface PublisherQuery {
  cursor?: string | undefined
}

const edited = {
  entity: 'property',
  list: propertyHistory,
  read: readPropertyRevision,
} as const

/** Shows what a domain owns, whom it authorizes, and the state of its file. */
export async function show(call: ViewCall<PublisherQuery, { domain: Domain }>): Promise<View> {
  const { ask, services } = call
  const { domain } = call.params
  const { cursor } = call.query
  const { reader } = services
  const query = { domain, limit: String(ROWS_SHOWN), ...(cursor && { cursor }) }
  const [{ body: lookup }, { body: claiming }] = await Promise.all([
    ask<PublisherLookup>(lookUpPublisher, { query }),
    ask<DomainLookup>(lookUpDomain, { params: { domain } }),
  ])
  const edits = await loadEdits({ ask, services }, edited, domain)
  if (isNothing(lookup)) return showUnknown(lookup, edits, services)
  const source = toDecidingSource(lookup)
  const file = await loadShownFile(source, services)
  const issues = await loadIssues(
    { source, file, isOwn: source.location === domain, isValid: lookup.adagents_valid === true },
    call,
  )
  const name = lookup.brand?.name ?? domain
  const unknown = describeUnknown(lookup)
  const { agents, properties: total } = countAll(lookup)
  const paged = { cursor, size: ROWS_SHOWN }
  const pages = buildPages(toPublisherPath(domain), paged, lookup.next_cursor)
  const reason = agents > 0 ? undefined : await explainNone(reader, lookup)
  return {
    title: `Publisher ${name}`,
    description:
      unknown === undefined
        ? `${domain} lists ${countThings(total, 'property', 'properties')} and authorizes ${countThings(agents, 'agent')}.`
        : `Properties and authorized agents of ${domain}. ${unknown}`,
    followed: { domain },
    json: `/api/registry/publisher?${new URLSearchParams({ domain })}`,
    body: (
      <>
        {renderHead(lookup, name, {
          mark: findFaces(reader, [domain]).renderMark(domain, MARK_PX, name),
          watch: renderWatch(services, 'domain', domain),
        })}
        {renderState(lookup, issues.counted)}
        {renderOwnerLinks(services, { domain, kind: 'adagents.json' })}
        {isHostedOnly(lookup)
          ? renderNextStep(
              lookup.hosting,
              services.baseUrl(),
              findHostedByOwner(
                reader,
                'adagents.json',
                domain,
                services.config.LIMITS.proofDays,
              ) !== undefined,
            )
          : null}
        {renderSection(
          'agents',
          'Authorized agents',
          renderAgents(reader, lookup, {
            terms: loadTerms(reader, lookup),
            whyNone: reason,
            pages,
          }),
        )}
        {renderClaims(reader, claiming)}
        {renderSection('properties', 'Properties', renderInventory(lookup, pages))}
        {renderSection(
          'file',
          'File status',
          <>
            {renderHosting(lookup, source, file)}
            {isHostedOnly(lookup) ? null : (
              <>
                <h3>Issues</h3>
                {renderIssues(source, file, issues)}
              </>
            )}
          </>,
        )}
        {renderSection('history', 'What changed', renderHistory('publisher', domain, edits, file))}
      </>
    ),
  }
}

/** Explains why no agent is authorized, as far as a file says so: a revocation, or times that are over or to come. */
async function explainNone(reader: Reader, { domain }: PublisherLookup) {
  const revoker = await loadRevoker(reader, domain)
  if (revoker !== undefined) return `The file of ${revoker} lists this publisher as revoked.`
  const now = toIso(reader.now())
  const grants = findInventory(reader, domain)?.stored.grants ?? []
  const starts = grants.flatMap(({ effective_from: from }) => (from && from > now ? [from] : []))
  const ends = grants.flatMap(({ effective_until: until }) => (until && until < now ? [until] : []))
  const [first] = starts.sort()
  if (first !== undefined) return `The next authorization starts on ${formatDate(first)}.`
  const last = ends.sort().at(-1)
  return last && `The last authorization ended on ${formatDate(last)}.`
}

/** Counts the listed agents that cannot sell all that the file grants them, and says why; undefined if there is none. */
function describeUnsold({ authorized_agents }: PublisherLookup): string | undefined {
  const count = (isCounted: (agent: PublisherLookup['authorized_agents'][number]) => boolean) =>
    authorized_agents.filter(isCounted).length
  const contradicted = count(({ operator_side }) => operator_side === 'contradicted')
  const stale = count(({ properties_stale }) => properties_stale !== undefined)
  const operators = contradicted === 1 ? 'its operator' : 'their operators'
  const notes = [
    contradicted > 0 && `${formatCount(contradicted)} contradicted by ${operators}`,
    stale > 0 && `${formatCount(stale)} with stale properties`,
  ]
  return notes.filter(Boolean).join(', ') || undefined
}

/** Renders the state of the file, and how much it lists. */
function renderState(lookup: PublisherLookup, faults: CountedFaults): Html {
  const { network } = lookup
  const { agents, properties } = countAll(lookup)
  return (
    <>
      {renderTiles([
        {
          label: 'File',
          value: describeFileState(lookup, faults),
          note: describeIssues(lookup, faults),
          look: chooseFileLook(lookup, faults),
        },
        {
          label: 'Authorized agents',
          value: formatKnown(lookup, agents),
          note: describeUnsold(lookup),
        },
        {
          label: 'Properties',
          value: formatKnown(lookup, properties),
        },
        network && { label: 'Managed publishers', value: formatCount(network.publisher_count) },
      ])}
      {renderFreshness(
        lookup.freshness,
        isHostedOnly(lookup) ? 'adagents.json on its own site' : 'adagents.json',
      )}
    </>
  )
}

/** Formats a count; that of a file of which nothing is known is not zero. */
function formatKnown(lookup: PublisherLookup, count: number): string {
  return count === 0 && describeUnknown(lookup) !== undefined ? '–' : formatCount(count)
}

function describeIssues(lookup: PublisherLookup, faults: CountedFaults): string | undefined {
  const counted = describeCounted(faults)
  if (isServedValid(lookup))
    return faults.errors > 0 ? `${counted}; parts with errors may not take effect` : counted
  if (faults.line !== undefined)
    return describeCounted(
      faults,
      faults.errors > 1 ? ` (the first on line ${faults.line})` : ` on line ${faults.line}`,
    )
  return faults.errors + (faults.warnings ?? 0) === 0 ||
    lookup.files.adagents_json.status !== 'invalid'
    ? undefined
    : counted
}

function renderHead(
  lookup: PublisherLookup,
  name: string,
  { mark, watch }: { mark: Html; watch: Html | null },
): Html {
  const { domain, member, files, left_out } = lookup
  return renderTitle({
    watch,
    mark,
    kind: 'Publisher',
    name: name,
    below: (
      <>
        {name === domain ? null : <code>{renderName(domain)}</code>}{' '}
        {left_out ? renderBadge('fair', `too broad: ${left_out.join(', ')} partly left out`) : null}{' '}
        {files.brand_json.status === 'present' ? (
          <>
            {name === domain ? null : '· '}
            <a href={toBrandPath(domain)}>Brand</a>
          </>
        ) : null}
        {member === null ? null : (
          <span class="quiet">Member: {renderName(member.display_name)}</span>
        )}
      </>
    ),
  })
}

function renderClaims(reader: Reader, lookup: DomainLookup): Html | null {
  const { sales_agents_claiming, domain } = lookup
  if (sales_agents_claiming.length === 0) return null
  const inventory = findInventory(reader, domain)
  const isAuthorized = (url: string) => inventory?.grantsTo(url).some(({ in_force }) => in_force)
  const claiming = sales_agents_claiming.filter(({ url }) => !isAuthorized(url))
  if (claiming.length === 0) return null
  return renderSection(
    'claims',
    'Unconfirmed claims by agents',
    <>
      <p>These agents say they sell this inventory, but the publisher hasn’t authorized them.</p>
      <ul class="plain">
        {claiming.slice(0, 10).map(({ url }) => (
          <li>{renderAgent(url)}</li>
        ))}
      </ul>
    </>,
  )
}

function showUnknown(
  { domain, did_you_mean, freshness, files }: PublisherLookup,
  edits: Edits,
  services: ViewCall['services'],
): View {
  const title = `No inventory found for ${domain}`
  return {
    status: 404,
    title,
    description: title,
    body: renderProblem(
      title,
      describeMissing(freshness?.state),
      <>
        {renderMeant(did_you_mean, toPublisherPath)}
        {renderFreshness(freshness, 'adagents.json')}
        {files.brand_json.status === 'present' ? (
          <p>
            <a href={toBrandPath(domain)}>Brand of {domain}</a>
          </p>
        ) : null}
        {renderOwnerLinks(services, { domain, kind: 'adagents.json' }, 'Check a file')}
        {edits.length === 0
          ? null
          : renderSection(
              'history',
              'What changed',
              renderHistory('publisher', domain, edits, undefined),
            )}
      </>,
      { kind: 'Publisher', watch: renderWatch(services, 'domain', domain) },
    ),
  }
}

function describeMissing(state: FreshnessBlock['state'] | undefined): string {
  if (state === 'never_crawled')
    return 'The registry hasn’t read this domain’s adagents.json yet. A domain is usually crawled within a minute of its first lookup.'
  if (state === 'absent') return 'This domain has no adagents.json file.'
  return 'The registry couldn’t read this domain’s adagents.json file.'
}
