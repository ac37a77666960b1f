/**
 * Tiers of membership. Members with API access see what members show each other, and may publish agents. An
 * organization without a tier has no paid membership.
 */
export const tiers = {
  individual_academic: { label: 'Explorer', apiAccess: false },
  individual_professional: { label: 'Professional', apiAccess: true },
  company_standard: { label: 'Builder', apiAccess: true },
  company_icl: { label: 'Partner', apiAccess: true },
  company_leader: { label: 'Leader', apiAccess: true },
} as const satisfies Record<string, { label: string; apiAccess: boolean }>

export type Tier = keyof typeof tiers
export const tierNames = Object.keys(tiers) as [Tier, ...Tier[]]

export function hasApiAccess(tier: Tier | null): boolean {
  return tier !== null && tiers[tier].apiAccess
}

/** Prefixes of the billing provider's prices, and the tiers they buy. */
const priceTiers: readonly [string, Tier][] = [
  ['explorer', 'individual_academic'],
  ['professional', 'individual_professional'],
  ['builder', 'company_standard'],
  ['member', 'company_icl'],
  ['partner', 'company_icl'],
  ['leader', 'company_leader'],
]

/** Finds the tier that a price buys, by the provider's lookup key. */
export function findTierOfPrice(lookupKey: string): Tier | undefined {
  const key = lookupKey.toLowerCase()
  return priceTiers.find(([prefix]) => new RegExp(`^${prefix}(?![a-z])`).test(key))?.[1]
}

/**
 * Audience of an agent that a member enrolled: everybody, members with API access, or its own member.
 */
export const visibilities = ['public', 'members_only', 'private'] as const
export type Visibility = (typeof visibilities)[number]
