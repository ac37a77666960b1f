import type { Random } from './random.ts'

export type Name = { host: string; title: string }

type Words = readonly [string, ...string[]]

const first = readWords(`
  Amber Birch Cobble Dapple Ember Fallow Gossamer Hazel Indigo Juniper
  Kestrel Linden Marble Nettle Ochre Pebble Quill Russet Saffron Thistle
  Umber Velvet Willow Yarrow Zephyr Bracken Clover Driftwood Elder Fennel
  Granite Heather Ivory Larkspur Meadow Northern Orchard Poplar Rowan Sorrel
`)
const second = readWords(`
  bay bridge brook cliff creek crest dale field fjord forge
  gate glen grove harbor haven hill hollow inlet isle knoll
  lake march mill moor peak pine point reef ridge shore
  spring stone strand summit tide vale view water wharf wood
`)

export const publications = readWords(
  'Daily Gazette Herald Ledger Weekly Review Dispatch Radio Kitchen Sports',
)
export const companies = readWords('Foods Motors Outdoor Home Toys Beauty Coffee')

/** Creates a generator of names and domains; every domain ends in a reserved top-level domain. */
export function nameMaker(random: Random): (kinds: Words) => Name {
  const taken = new Set<string>()
  return kinds => {
    for (;;) {
      const title = `${random.pick(first)}${random.pick(second)} ${random.pick(kinds)}`
      const tld = random.chance(0.2) ? 'test' : 'example'
      const label = title.toLowerCase().replace(' ', '-')
      if (taken.has(label)) continue
      taken.add(label)
      return { host: `${label}.${tld}`, title }
    }
  }
}

function readWords(text: string): Words {
  return text.trim().split(/\s+/) as [string, ...string[]]
}
