import { countThings, formatCount } from '../../../pipeline/core/counts.ts'
import type { PublisherLookup } from '../../../pipeline/model/responses/index.ts'
import type { ProposedSeller, ProposedSellers } from '../../inputs/proposed-sellers.ts'
import type { ComparedFile } from '../examined-file.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { renderName } from '../html/text.tsx'
import { renderTable } from './blocks.tsx'
import { renderAgent } from './events.tsx'
import { renderBadge } from './freshness.tsx'
import { renderOperatorSide } from './operator-side.tsx'
import { toPublisherPath } from './paths.ts'
import { renderStale } from './stale.tsx'

type Listed = PublisherLookup['authorized_agents'][number]

interface Compared {
  url: string
  /** The agent in today's lookup, with what its operator says about its grant. */
  known: Listed | undefined
  /** True if the registry knows no agent at this address. */
  isUnknown: boolean
  before: string | undefined
  after: string | undefined
  authorized_for: string | undefined
}

/** Renders the agents that a domain authorizes as the registry knows it, and once a file is served. */
export function renderSellers(
  domain: string,
  before: PublisherLookup,
  { sellers: after, is_usable, unknown }: Pick<ComparedFile, 'sellers' | 'is_usable' | 'unknown'>,
): Html {
  if (after === undefined || !is_usable) {
    return (
      <p class="empty">
        {is_usable
          ? 'This file lists no agents: it points to another file or has no valid entries.'
          : 'Nothing can be compared while the file is invalid. While your site serves it as it is, agents can’t sell your ads.'}
      </p>
    )
  }
  const [same, changed] = splitSame(compareSellers(before, after, unknown))
  return (
    <>
      <p>
        How this file would change who can sell ads on{' '}
        <a href={toPublisherPath(domain)}>{domain}</a>.
      </p>
      {changed.length === 0 && same.length > 0
        ? null
        : renderCompared('Authorized agents that change', changed, domain)}
      {same.length === 0 ? null : (
        <details class="fold">
          <summary>
            {countThings(same.length, 'agent stays the same', 'agents stay the same')}
          </summary>
          {renderCompared('Authorized agents that stay the same', same, domain)}
        </details>
      )}
    </>
  )
}

/** Renders the agents of a file of which nobody said which domain will serve it, with what is wrong with the one entered. */
export function renderNamed(
  { agents, unknown }: Pick<ComparedFile, 'agents' | 'unknown'>,
  wrongDomain = '',
): Html {
  return (
    <>
      <p>{wrongDomain || 'Enter your domain to see who would gain or lose authorization.'}</p>
      {renderTable({
        caption: 'Agents in this file',
        columns: ['Agent', 'For', 'Status'],
        items: agents,
        total: agents.length,
        bytes: 8_000,
        empty: '',
        render: ({ url, authorized_for }) => [
          renderAgent(url),
          authorized_for === undefined ? '' : renderName(authorized_for, 120),
          unknown.has(url)
            ? renderBadge('fair', 'not a known agent')
            : renderBadge('none', 'known agent'),
        ],
      })}
    </>
  )
}

function renderCompared(caption: string, compared: readonly Compared[], domain: string): Html {
  return renderTable({
    caption,
    columns: ['Agent', 'For', 'Before', 'After', 'Change'],
    items: compared,
    total: compared.length,
    bytes: 8_000,
    empty: `No agent is authorized for ${domain}, today or with this file.`,
    render: ({ url, known, isUnknown, authorized_for, before, after }) => [
      <>
        {renderAgent(url)}
        {known?.operator_side === 'contradicted' ? renderOperatorSide(known) : ''}
        {known ? renderStale(known) : ''}
      </>,
      authorized_for === undefined ? '' : renderName(authorized_for, 120),
      before ?? '—',
      after ?? '—',
      isUnknown ? renderBadge('fair', 'added, not a known agent') : renderChange(before, after),
    ],
  })
}

/** Splits agents into those that stay as they are and those that change. */
function splitSame(compared: readonly Compared[]): [same: Compared[], changed: Compared[]] {
  const isSame = ({ before, after }: Compared) => before === after
  return [compared.filter(isSame), compared.filter(each => !isSame(each))]
}

function renderChange(before: string | undefined, after: string | undefined): Html {
  if (before === after) return renderBadge('none', 'same')
  if (before === undefined) return renderBadge('good', 'added')
  return after === undefined ? renderBadge('bad', 'removed') : renderBadge('fair', 'changed')
}

function compareSellers(
  { authorized_agents, properties_total: total }: PublisherLookup,
  after: ProposedSellers,
  unknown: ReadonlySet<string>,
): Compared[] {
  const compared = new Map<string, Compared>()
  for (const agent of authorized_agents) {
    const { url, authorized_for, publisher_wide, properties_authorized } = agent
    const all = agent.properties_total ?? total ?? 0
    const reach = publisher_wide ? all : (properties_authorized ?? 0)
    compared.set(url, {
      url,
      known: agent,
      isUnknown: false,
      authorized_for,
      before: describeReach(reach, all),
      after: undefined,
    })
  }
  for (const seller of after.agents) {
    const listed = compared.get(seller.url)
    compared.set(seller.url, {
      url: seller.url,
      known: listed?.known,
      isUnknown: listed === undefined && unknown.has(seller.url),
      authorized_for: seller.authorized_for ?? listed?.authorized_for,
      before: listed?.before,
      after: describeSeller(seller, after.properties_total),
    })
  }
  return [...compared.values()]
}

function describeSeller({ in_force, properties_authorized }: ProposedSeller, total: number) {
  return in_force ? describeReach(properties_authorized, total) : 'not in effect'
}

function describeReach(reach: number, total: number): string {
  return `${formatCount(reach)} of ${formatCount(total)}`
}
