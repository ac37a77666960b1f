/** An audience that the signals tenant offers. */
export interface Signal {
  id: string
  name: string
  description: string
  kind: 'marketplace' | 'owned'
  provider: { domain: string; name: string }
  /** Percent of people that it covers. */
  coverage: number
  cpm: number
  countries: readonly string[]
  /** Price by the month instead of by impressions. */
  monthly?: number
  /** Id of its price, if that is not derived from the pricing model. */
  priceId?: string
}

/** Finds the id of the one pricing option of a signal. */
export function findSignalPriceId({ priceId, monthly }: Signal): string {
  return priceId ?? (monthly === undefined ? 'cpm' : 'monthly')
}

const meadow = { domain: 'meadow-signals.example', name: 'Meadow Signals' }
const prism = { domain: 'prism-retail.example', name: 'Prism Retail' }
const slate = { domain: 'slate-data.example', name: 'Slate Data' }

/** All signals, which are invented, like their providers. */
export const signals: readonly Signal[] = [
  {
    id: 'home_cooks',
    name: 'Home cooks',
    description: 'People who cook at home several times a week and buy food online',
    kind: 'marketplace',
    provider: meadow,
    coverage: 18,
    cpm: 2.5,
    countries: ['US', 'GB'],
  },
  {
    id: 'new_parents',
    name: 'New parents',
    description: 'Families with a child below two years',
    kind: 'marketplace',
    provider: meadow,
    coverage: 6,
    cpm: 3.2,
    countries: ['US', 'GB', 'DE'],
  },
  {
    id: 'runners',
    name: 'Runners',
    description: 'People who run or train for a race: sports, fitness, outdoor',
    kind: 'owned',
    provider: slate,
    coverage: 9,
    cpm: 1.8,
    countries: ['US', 'DE'],
  },
  {
    id: 'car_buyers',
    name: 'Car buyers',
    description: 'Households that look for a new car, electric ones included, within six months',
    kind: 'marketplace',
    provider: slate,
    coverage: 11,
    cpm: 4,
    countries: ['US', 'GB', 'DE', 'FR'],
  },
  {
    id: 'business_travellers',
    name: 'Business travellers',
    description: 'People who fly for work: airport, hotel, finance, travel',
    kind: 'owned',
    provider: slate,
    coverage: 4,
    cpm: 5.5,
    countries: ['GB', 'DE', 'FR'],
  },
  // The protocol's own tests activate these two by their ids.
  {
    id: 'prism_high_ltv',
    name: 'Loyal customers',
    description: 'High-value customers of a loyalty program: electronics, household, purchase data',
    kind: 'owned',
    provider: prism,
    coverage: 7,
    cpm: 3,
    countries: ['US'],
    monthly: 1500,
    priceId: 'po_prism_flat_monthly',
  },
  {
    id: 'prism_cart_abandoner',
    name: 'Abandoned carts',
    description: 'People who left a full cart within a week: purchase behavior',
    kind: 'owned',
    provider: prism,
    coverage: 3,
    cpm: 4.5,
    countries: ['US'],
    priceId: 'po_prism_abandoner_cpm',
  },
]
