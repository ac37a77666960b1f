import { sellers, toUrl } from './cast.ts'
import {
  buildAdagents,
  buildCanonical,
  buildEntry,
  buildSiteProperty,
  toTitle,
} from './documents.ts'
import type { SellingClaim } from './operators.ts'
import type { Doc, Place } from './site.ts'

const seller = sellers[1]!

type Case = {
  host: string
  /** What the publisher grants: a delegation type, none stated, or no grant at all. */
  granted: string | undefined
  /** What the seller's brand.json says of the site. */
  claimed: string | undefined
}

/** A sale counts only when publisher and seller say the same; these are the ways it can fail. */
const cases: readonly Case[] = [
  { host: 'both-say-direct.example', granted: 'direct', claimed: 'direct' },
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
  return cases.map(item => {
    const title = toTitle(item.host)
    const situation = item.granted === 'nothing' ? 'catalog_only' : 'ok'
    return {
      host: item.host,
      title,
      files: {
        'brand.json': { situation: 'canonical', document: () => buildCanonical(item.host, title) },
        'adagents.json': { situation, document: () => buildPublisherSide(item, title) },
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
