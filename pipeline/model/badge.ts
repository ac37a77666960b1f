import { z } from 'zod'
import { COMPLIANCE_TARGET } from './storyboards/storyboard.ts'

/** Parts of the protocol for which an agent can earn a badge. */
export const badgeRoles = [
  'media-buy',
  'creative',
  'signals',
  'governance',
  'brand',
  'sponsored-intelligence',
] as const
export type BadgeRole = (typeof badgeRoles)[number]

/** Version of the protocol that badges are issued for, as MAJOR.MINOR, beside those of further bundles. */
export const BADGE_VERSION = COMPLIANCE_TARGET

/** Kinds of verification that badges are issued for; `spec`: the storyboards of the specification passed. */
export const BADGE_MODES = ['spec'] as const

/** Behaviors that sellers of several specialisms have in common. */
const reporting = ['media_buy_seller/delivery_reporting']
const refining = ['media_buy_seller/refine_products']
const terms = ['media_buy_seller/measurement_terms_rejected']
const buying = [
  'media_buy_seller/invalid_transitions',
  'media_buy_seller/pending_creatives_to_start',
]
const targeting = [
  'media_buy_seller/inventory_list_no_match',
  'media_buy_seller/inventory_list_targeting',
]
const governed = [
  'media_buy_seller/governance_approved',
  'media_buy_seller/governance_conditions',
  'media_buy_seller/governance_denied',
  'media_buy_seller/governance_denied_recovery',
]

/** Storyboards that show that an agent does as a specialism says. */
interface Specialism {
  role: BadgeRole
  /** Must pass. */
  storyboard: string
  /** Must not fail where they can be run. */
  scenarios: readonly string[]
}

/** Stable specialisms of the protocol, each with the role whose badge it counts for. */
export const specialisms: Readonly<Record<string, Specialism>> = {
  'audience-sync': { role: 'media-buy', storyboard: 'audience_sync', scenarios: [] },
  'governance-aware-seller': {
    role: 'media-buy',
    storyboard: 'governance_aware_seller',
    scenarios: governed,
  },
  'sales-broadcast-tv': {
    role: 'media-buy',
    storyboard: 'sales_broadcast_tv',
    scenarios: [...reporting, ...buying, ...targeting, ...terms, ...refining],
  },
  'sales-catalog-driven': {
    role: 'media-buy',
    storyboard: 'sales_catalog_driven',
    scenarios: [...reporting, ...buying, ...refining],
  },
  'sales-guaranteed': {
    role: 'media-buy',
    storyboard: 'sales_guaranteed',
    scenarios: [...reporting, ...buying, ...targeting, ...terms, ...refining],
  },
  'sales-non-guaranteed': {
    role: 'media-buy',
    storyboard: 'sales_non_guaranteed',
    scenarios: [...reporting, ...buying, ...targeting],
  },
  'sales-proposal-mode': {
    role: 'media-buy',
    storyboard: 'sales_proposal_mode',
    scenarios: [
      ...reporting,
      ...buying,
      ...targeting,
      ...terms,
      'media_buy_seller/proposal_finalize',
    ],
  },
  'sales-social': { role: 'media-buy', storyboard: 'sales_social', scenarios: [] },
  'creative-ad-server': { role: 'creative', storyboard: 'creative_ad_server', scenarios: [] },
  'creative-generative': {
    role: 'creative',
    storyboard: 'creative_generative',
    scenarios: ['creative_generative/seller', ...reporting, ...refining],
  },
  'creative-template': { role: 'creative', storyboard: 'creative_template', scenarios: [] },
  'signal-marketplace': {
    role: 'signals',
    storyboard: 'signal_marketplace',
    scenarios: ['signal_marketplace/governance_denied'],
  },
  'signal-owned': { role: 'signals', storyboard: 'signal_owned', scenarios: [] },
  'collection-lists': { role: 'governance', storyboard: 'collection_lists', scenarios: [] },
  'content-standards': { role: 'governance', storyboard: 'content_standards', scenarios: [] },
  'governance-delivery-monitor': {
    role: 'governance',
    storyboard: 'governance_delivery_monitor',
    scenarios: [],
  },
  'governance-spend-authority': {
    role: 'governance',
    storyboard: 'governance_spend_authority',
    scenarios: ['governance_spend_authority/denied'],
  },
  'property-lists': { role: 'governance', storyboard: 'property_lists', scenarios: [] },
  'brand-rights': {
    role: 'brand',
    storyboard: 'brand_rights',
    scenarios: ['brand_rights/governance_denied'],
  },
}

/** Reasons for which a badge is lost. */
export const badgeLosses = {
  not_passing: 'its storyboards did not pass for 48 hours',
  expired: 'the agent was not tested any more',
  role_not_declared: 'the agent no longer claims a specialism of the role',
  version_not_advertised: 'the agent no longer speaks the version, or is no longer tested by it',
  opted_out: 'its organization opted out',
  not_public: 'the agent is not shown to everybody, or its organization has no API access',
} as const
export type BadgeLoss = keyof typeof badgeLosses

/** A badge as the accounts store it: a degraded one still counts, a revoked one does not. */
export interface Badge {
  role: BadgeRole
  adcp_version: string
  state: 'active' | 'degraded' | 'revoked'
  verified_specialisms: string[]
  verified_at: string
  degraded_at: string | null
  /** Time at which it ends unless the agent passes a full run before. */
  expires_at: string
  revoked_for: BadgeLoss | null
}

export const BadgeRole = z.enum(badgeRoles)
