/** A brand whose identity the brand tenant serves. */
export interface Brand {
  id: string
  house: { domain: string; name: string }
  names: readonly Record<string, string>[]
  kellerType: 'master' | 'sub_brand' | 'endorsed' | 'independent'
  tagline: string
  tone: string
  colors: Record<string, string>
}

const house = { domain: 'lantern-holdings.example', name: 'Lantern Holdings' }

export const brands: readonly Brand[] = [
  {
    id: 'lantern',
    house,
    names: [{ en: 'Lantern' }, { de: 'Laterne' }],
    kellerType: 'master',
    tagline: 'Light for every evening',
    tone: 'warm, calm, plain',
    colors: { primary: '#F2B134', secondary: '#20343B' },
  },
  {
    id: 'candle',
    house,
    names: [{ en: 'Candle & Co' }],
    kellerType: 'endorsed',
    tagline: 'Made slowly',
    tone: 'quiet, crafted',
    colors: { primary: '#B5483A', secondary: '#F7F1E5' },
  },
  {
    id: 'nova_motors',
    house: { domain: 'novamotors.example', name: 'Nova Motors' },
    names: [{ en: 'Nova Motors' }],
    kellerType: 'master',
    tagline: 'Quiet miles',
    tone: 'confident, clear',
    colors: { primary: '#1D3557', secondary: '#E63946' },
  },
]
