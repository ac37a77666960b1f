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

/** Version of the protocol that badges are issued for, as MAJOR.MINOR. */
export const BADGE_VERSION = COMPLIANCE_TARGET

/** Kinds of verification that badges are issued for; `spec`: the storyboards of the specification passed. */
export const BADGE_MODES = ['spec'] as const

/**
 * Stable specialisms of the protocol, each with the role whose badge it counts for and the storyboards that
 * must pass. A specialism without a storyboard cannot be verified.
 */
export const specialisms: Readonly<
  Record<string, { role: BadgeRole; storyboards: readonly string[] }>
> = {
  'audience-sync': { role: 'media-buy', storyboards: ['audience_sync'] },
  'governance-aware-seller': {
    role: 'media-buy',
    storyboards: ['account_governance', 'media_buy_lifecycle'],
  },
  'sales-broadcast-tv': { role: 'media-buy', storyboards: [] },
  'sales-catalog-driven': {
    role: 'media-buy',
    storyboards: ['catalog_and_events', 'product_discovery', 'media_buy_lifecycle'],
  },
  'sales-guaranteed': { role: 'media-buy', storyboards: [] },
  'sales-non-guaranteed': {
    role: 'media-buy',
    storyboards: ['product_discovery', 'media_buy_lifecycle', 'delivery_reporting'],
  },
  'sales-proposal-mode': { role: 'media-buy', storyboards: ['sales_proposal_mode'] },
  'sales-social': {
    role: 'media-buy',
    storyboards: ['audience_sync', 'catalog_and_events', 'creative_library'],
  },
  'creative-ad-server': { role: 'creative', storyboards: [] },
  'creative-generative': { role: 'creative', storyboards: ['creative_build_and_preview'] },
  'creative-template': { role: 'creative', storyboards: ['creative_build_and_preview'] },
  'signal-marketplace': { role: 'signals', storyboards: ['signal_activation'] },
  'signal-owned': { role: 'signals', storyboards: ['signal_activation'] },
  'collection-lists': { role: 'governance', storyboards: [] },
  'content-standards': { role: 'governance', storyboards: [] },
  'governance-delivery-monitor': { role: 'governance', storyboards: [] },
  'governance-spend-authority': { role: 'governance', storyboards: ['spend_governance'] },
  'property-lists': { role: 'governance', storyboards: [] },
  'brand-rights': { role: 'brand', storyboards: ['brand_identity'] },
}

/** Reasons for which a badge is lost. */
export const badgeLosses = {
  not_passing: 'its storyboards did not pass for 48 hours',
  expired: 'the agent was not tested any more',
  role_not_declared: 'the agent no longer claims a specialism of the role',
  version_not_advertised: 'the agent no longer speaks the version',
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
