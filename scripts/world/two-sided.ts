import { sellers, toUrl } from './demo-agents.ts'
import {
  buildAdagents,
  buildCanonical,
  buildEntry,
  buildSiteProperty,
  toTitle,
} from './documents.ts'
import { getItem } from './items.ts'
import type { SellingClaim } from './operators.ts'
import type { Doc, Place } from './site.ts'

const seller = getItem(sellers, 1)

type Case = {
  host: string
  /** The publisher's grant: a delegation type, undefined for none stated, or `nothing`. */
  granted: string | undefined
  /** Relationship that the seller's brand.json claims. */
  claimed: string | undefined
}

/** Cases of two-sided authorization: it counts only where publisher and seller agree. */
const cases: readonly Case[] = [
  { host: 'eastport-daily.example', granted: 'direct', claimed: 'direct' },
  { host: 'both-say-delegated.example', granted: 'delegated', claimed: 'delegated' },
  { host: 'both-say-network.example', granted: 'ad_network', claimed: 'ad_network' },
  { host: 'sides-differ.example', granted: 'direct', claimed: 'ad_network' },
  { host: 'seller-is-silent.example', granted: 'delegated', claimed: undefined },
  { host: 'publisher-is-silent.example', granted: 'nothing', claimed: 'delegated' },
  { host: 'delegation-not-stated.example', granted: undefined, claimed: 'direct' },
  { host: 'seller-claims-to-own.example', granted: 'direct', claimed: 'owned' },
]

export const twoSidedClaims: readonly SellingClaim[] = cases.flatMap(({ host, claimed }) =>
  claimed === undefined
    ? []
    : [{ operator: seller.operator, identifier: host, relationship: claimed }],
)

export function buildTwoSidedPlaces(): Place[] {
  return cases.map(example => {
    const title = toTitle(example.host)
    const situation = example.granted === 'nothing' ? 'catalog_only' : 'ok'
    return {
      host: example.host,
      title,
      files: {
        'brand.json': {
          situation: 'canonical',
          document: () => buildCanonical(example.host, title),
        },
        'adagents.json': { situation, document: () => buildPublisherSide(example, title) },
      },
    }
  })
}

function buildPublisherSide({ host, granted }: Case, title: string): Doc {
  const delegation = granted === undefined ? {} : { delegation_type: granted }
  const grant = buildEntry(toUrl(seller), 'property_ids', { property_ids: ['site'], ...delegation })
  return buildAdagents({
    properties: [buildSiteProperty(host, title, { property_id: 'site' })],
    authorized_agents: granted === 'nothing' ? [] : [grant],
  })
}
