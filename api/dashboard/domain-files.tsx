import type { z } from 'zod'
import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { Source } from '../../pipeline/model/observation.ts'
import type { FreshnessBlock, PublisherLookup } from '../../pipeline/model/responses/index.ts'
import type { OrganizationDomains } from '../../pipeline/model/responses/ownership.ts'
import { findFileRecord } from '../../pipeline/read/lookups/file-records.ts'
import { findHosted } from '../../pipeline/read/lookups/hosted.ts'
import { findFileFreshness } from '../../pipeline/read/lookups/stored.ts'
import { toCaller } from '../limits/caller.ts'
import { countFaults } from '../pages/counted-faults.ts'
import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { capitalize, renderMoment, renderName } from '../pages/html/text.tsx'
import { renderSection, renderTable } from '../pages/parts/blocks.tsx'
import { type CountedFaults, chooseIssuesLook, describeCounted } from '../pages/parts/faults.tsx'
import { describeState, renderBadge } from '../pages/parts/freshness.tsx'
import { toPublisherPath, toWorkshopPath } from '../pages/parts/paths.ts'
import { isHostedOnly } from '../pages/parts/publisher.tsx'
import {
  chooseFileLook,
  countAll,
  describeFileState,
  isServedValid,
  toDecidingSource,
} from '../pages/parts/publisher-file.ts'
import type { DashboardRequest } from './dashboard-request.ts'

/** Address of the operation that lists the domains of an organization. */
export const DOMAINS_URL = '/api/me/organization/domains'

export type Domains = z.infer<typeof OrganizationDomains>

/** Lists the domains of an organization. */
export function listDomains({ callApi }: Pick<Shared, 'callApi'>, org: string) {
  return callApi<Domains>({ method: 'GET', url: DOMAINS_URL, query: { org } })
}

/** Domains whose files the list shows. */
const LISTED_MAX = 20

type Shared = Pick<DashboardRequest, 'callApi' | 'request' | 'services'>

/** State of a file as its line shows it. */
interface FileState {
  label: string
  look: string
  notes: readonly string[]
  readAt: string | undefined
}

/** Renders one line per domain: the states of its two files. Null if the organization has none. */
export async function renderDomainFiles(
  context: Shared,
  { domains }: Domains,
): Promise<Html | null> {
  if (domains.length === 0) return null
  const items = await Promise.all(
    domains.slice(0, LISTED_MAX).map(async each => {
      const domain = each.domain as Domain
      const adagents = await loadAdagentsState(context, domain)
      return { domain, adagents, brand: await loadBrandState(context, domain) }
    }),
  )
  const table = renderTable({
    caption: 'File status',
    columns: ['Domain', 'adagents.json', 'brand.json'],
    items,
    total: domains.length,
    empty: '',
    render: ({ domain, adagents, brand }) => [
      <a href={toPublisherPath(domain)}>{renderName(domain)}</a>,
      renderFileState(adagents, toWorkshopPath(domain, 'adagents.json')),
      renderFileState(brand, toWorkshopPath(domain, 'brand.json')),
    ],
  })
  return renderSection('files', 'File status', table)
}

function renderFileState({ label, look, notes, readAt }: FileState, workshop: string): Child {
  return (
    <>
      {renderBadge(look, label)}{' '}
      {look === 'bad' ? <a href={workshop}>See what’s wrong</a> : notes.join(', ')}
      {readAt === undefined ? null : <div class="quiet">Last read {renderMoment(readAt)}</div>}
    </>
  )
}

async function loadAdagentsState(context: Shared, domain: Domain): Promise<FileState> {
  const {
    callApi,
    services: { reader },
  } = context
  const { body: lookup, refused } = await callApi<PublisherLookup>({
    method: 'GET',
    url: '/api/registry/publisher',
    query: { domain, limit: '1' },
  })
  const freshness = findFileFreshness(reader, 'adagents.json', domain)
  if (refused !== undefined) return describeUnread(freshness)
  const { status } = lookup.files.adagents_json
  if (isHostedOnly(lookup)) return describeHosted(freshness)
  if (status === 'absent' || status === 'unknown') return describeUnread(freshness)
  const source = toDecidingSource(lookup)
  const faults = await countFaults(source, findFileRecord(reader, source), toAsking(context))
  const isHosted = lookup.hosting.mode === 'aao_hosted'
  return {
    label: describeFileState(lookup, faults),
    look: chooseFileLook(lookup, faults),
    notes: [
      ...(isHosted ? ['hosted here'] : []),
      ...(isServedValid(lookup) ? listCounted(faults) : []),
      countThings(countAll(lookup).agents, 'agent'),
    ],
    readAt: freshness.succeeded_at,
  }
}

function listCounted(faults: CountedFaults): string[] {
  const counted = describeCounted(faults)
  return counted === undefined ? [] : [counted]
}

function toAsking({ request, services }: Shared) {
  return { services, caller: () => toCaller(request.ip) }
}

async function loadBrandState(context: Shared, domain: Domain): Promise<FileState> {
  const { reader } = context.services
  const kind = 'brand.json'
  const freshness = findFileFreshness(reader, kind, domain)
  const source: Source = { kind, location: domain }
  const file = findFileRecord(reader, source)
  const isGone = freshness.state === 'absent' || freshness.state === 'invalid'
  if (!file || isGone)
    return findHosted(reader, kind, domain) === undefined
      ? describeUnread(freshness)
      : describeHosted(freshness)
  const faults = await countFaults(source, file, toAsking(context))
  return {
    label: faults.errors > 0 ? 'Usable' : 'Valid',
    look: chooseIssuesLook(faults),
    notes: listCounted(faults),
    readAt: freshness.succeeded_at,
  }
}

/** Describes a file that is hosted here, and that the domain doesn't lead to, as far as it was read. */
function describeHosted(freshness: FreshnessBlock): FileState {
  const notes = freshness.state === 'never_crawled' ? [] : ['not linked from the domain']
  return { ...describeUnread(freshness), label: 'Hosted here', look: 'good', notes }
}

function describeUnread({ state, succeeded_at: readAt }: FreshnessBlock): FileState {
  const look = state === 'invalid' ? 'bad' : 'none'
  return { label: capitalize(describeState(state)), look, notes: [], readAt }
}
