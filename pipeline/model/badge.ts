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

/**
 * Stable specialisms of the protocol, each with the role whose badge it counts for. Which storyboards show them, their
 * bundle says (`storyboards/shown-specialisms.ts`).
 */
export const specialisms: Readonly<Record<string, BadgeRole>> = {
  'audience-sync': 'media-buy',
  'governance-aware-seller': 'media-buy',
  'sales-broadcast-tv': 'media-buy',
  'sales-catalog-driven': 'media-buy',
  'sales-guaranteed': 'media-buy',
  'sales-non-guaranteed': 'media-buy',
  'sales-proposal-mode': 'media-buy',
  'sales-social': 'media-buy',
  'creative-ad-server': 'creative',
  'creative-generative': 'creative',
  'creative-template': 'creative',
  'signal-marketplace': 'signals',
  'signal-owned': 'signals',
  'collection-lists': 'governance',
  'content-standards': 'governance',
  'governance-delivery-monitor': 'governance',
  'governance-spend-authority': 'governance',
  'property-lists': 'governance',
  'brand-rights': 'brand',
}

/** Reasons for which a badge is lost. */
export const badgeLosses = {
  not_passing: 'its storyboards did not pass for 48 hours',
  expired: 'the agent is no longer tested',
  role_not_declared: 'the agent no longer claims a specialism of the role',
  version_not_advertised:
    'the agent no longer speaks the version, or is no longer tested against it',
  opted_out: 'its organization opted out',
  not_public: 'the agent is not shown to everyone, or its organization has no API access',
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
