/**
 * Says which brand a domain is, by the published rules of brand.json alone: this model shares no code with the
 * registry and reads the files as they are written.
 */

type Json = Readonly<Record<string, unknown>>

/** File at each address; an address that is not in it answers with nothing that can be read. */
export type BrandFiles = Readonly<Record<string, unknown>>

export interface ExpectedBrand {
  canonical_id: string
  canonical_domain: string
  brand_name: string
  /** Absent if no file says anything. */
  relationship_trust?: string
  brand_id?: string
  keller_type?: string
  house_domain?: string
  house_name?: string
  claimed_house_domain?: string
  brand_agent_url?: string
}

const HALF_A_YEAR_MS = 180 * 24 * 3_600_000
/** Three redirects are followed, so four files are read. */
const FILES_IN_A_ROW = 4

export const wellKnown = (domain: string) => `https://${domain}/.well-known/brand.json`

export function expectBrand(web: BrandFiles, domain: string, now: number): ExpectedBrand | null {
  const found = follow(web, domain)
  const { house } = found
  // A redirect whose house cannot be read, loops, or is no house is one case: the house stays a claim.
  const unread = house === undefined ? null : { ...itself(domain, 'unverifiable'), ...claim(house) }
  if (found.form === 'portfolio') return answerOfHouse(web, domain, found, unread)
  if (found.form === 'canonical') return answerOfBrand(web, domain, found, now) ?? unread
  if (found.form !== 'agents') return unread
  const agent = items(found.file.agents).find(({ type }) => type === 'brand')
  if (agent === undefined) return unread
  const own = house === undefined ? itself(domain, 'standalone') : leafOnly(domain, house)
  return { ...own, brand_agent_url: String(agent.url) }
}

/** Brand that somebody saved, and the house that it names. */
export interface SavedBrand {
  brand_name: string
  house_domain?: string
}

/**
 * Says which brand a domain is of which somebody saved one: its files decide if they lead to a brand. Else the one
 * house whose portfolio names it is its house, by the word of that house alone, unless the domain publishes a file
 * or the saved brand names another house.
 */
export function expectSavedBrand(
  web: BrandFiles,
  domain: string,
  now: number,
  saved: SavedBrand,
): ExpectedBrand {
  const published = expectBrand(web, domain, now)
  if (published !== null) return published
  const { relationship_trust: _, ...own } = itself(domain, '')
  const brand = { ...own, brand_name: saved.brand_name, keller_type: 'master' }
  const named = saved.house_domain
  const unconfirmed = { ...brand, ...(named === undefined ? {} : claim(named)) }
  const claiming = listClaimingHouses(web, domain, now)
  const [house] = claiming
  if (hasFile(web, domain) || house === undefined || claiming.length > 1) return unconfirmed
  if (named !== undefined && findHouse(web, named)?.house_domain !== house.house_domain)
    return unconfirmed
  return { ...brand, ...house, relationship_trust: 'house_only' }
}

function hasFile(web: BrandFiles, domain: string): boolean {
  const file = web[wellKnown(domain)]
  if (!isObject(file)) return false
  const leads = typeof file.authoritative_location === 'string' || typeof file.house === 'string'
  return leads || readForm(file) !== 'nothing'
}

/** Lists the houses whose portfolio names a domain as theirs: a website of a brand, or a reference that counts now. */
function listClaimingHouses(web: BrandFiles, domain: string, now: number) {
  const hosts = Object.keys(web).map(address => new URL(address).hostname)
  return [...new Set(hosts)].flatMap(host => {
    const found = host === domain ? undefined : findHouse(web, host)
    if (found === undefined || found.house_domain !== host) return []
    const { file, ...house } = found
    const isOwner = uniqueBy('id', items(file.brands)).some(brand =>
      listWebsites(brand).includes(domain),
    )
    const isReferred = uniqueBy('domain', items(file.brand_refs)).some(
      ref => ref.domain === domain && isDeclared(ref, now),
    )
    return isOwner || isReferred ? [house] : []
  })
}

/** Finds the portfolio that a house publishes, or that its own file leads to. */
function findHouse(web: BrandFiles, named: string) {
  const { form, file, owner } = follow(web, named)
  const house = isObject(file.house) ? file.house : {}
  if (form !== 'portfolio' || house.domain !== owner) return undefined
  return { house_domain: owner, house_name: String(house.name), file }
}

interface Found {
  form: 'portfolio' | 'canonical' | 'agents' | 'nothing'
  file: Json
  address: string
  /** The domain that the file speaks for: a pointer keeps it, a redirect changes it. */
  owner: string
  /** The house that the first redirect named. */
  house: string | undefined
}

function follow(web: BrandFiles, domain: string): Found {
  let owner = domain
  let address = wellKnown(domain)
  let house: string | undefined
  for (let read = 0; read < FILES_IN_A_ROW; read++) {
    const file = web[address]
    if (!isObject(file)) break
    if (typeof file.authoritative_location === 'string') {
      address = file.authoritative_location
    } else if (typeof file.house === 'string') {
      owner = file.house
      address = wellKnown(owner)
      house ??= owner
    } else return { form: readForm(file), file, address, owner, house }
  }
  return { form: 'nothing', file: {}, address, owner, house }
}

/** Members that make a file another form than that of one brand. */
const FOREIGN_KEYS = [
  'house',
  'brands',
  'brand_refs',
  'authorized_operators',
  'authoritative_location',
  'redirect_reason',
  'redirect_effective_at',
  'region',
  'note',
]

function readForm(file: Json): Found['form'] {
  const lists = Array.isArray(file.brands) || Array.isArray(file.brand_refs)
  if (isObject(file.house) && lists) return 'portfolio'
  if (typeof file.id === 'string' && Array.isArray(file.names)) {
    const isWhole =
      isId(file.id) &&
      file.names.length > 0 &&
      (file.house_domain === undefined || isDomain(file.house_domain)) &&
      FOREIGN_KEYS.every(key => file[key] === undefined)
    return isWhole ? 'canonical' : 'nothing'
  }
  return Array.isArray(file.agents) ? 'agents' : 'nothing'
}

/** Answers by a portfolio, which must be that of the domain it is read for. */
function answerOfHouse(
  web: BrandFiles,
  domain: string,
  { file, owner, house }: Found,
  unread: ExpectedBrand | null,
): ExpectedBrand | null {
  const { domain: stated, name } = file.house as Json
  if (stated !== owner) return unread
  const brands = uniqueBy('id', items(file.brands))
  const isItself = owner === domain
  const brand =
    brands.find(brand => listWebsites(brand).includes(domain)) ??
    brands.find(({ keller_type }) => isItself && keller_type === 'master')
  if (brand !== undefined) {
    return {
      ...describe(brand, pickCanonical(web, brand, domain, owner)),
      house_domain: owner,
      house_name: String(name),
      relationship_trust: 'inline',
    }
  }
  if (isItself) return null
  // Such a reference says that the domain has a file of its own brand: it has a redirect.
  const isReferred = items(file.brand_refs).some(ref => ref.domain === domain)
  return isReferred || house === undefined ? null : leafOnly(domain, house)
}

/**
 * Picks the domain of a brand in a portfolio: its primary website, else its first; one of another site only if that
 * site leads to the house.
 */
function pickCanonical(web: BrandFiles, brand: Json, domain: string, house: string): string {
  const owned = listOwnedWebsites(brand)
  const website = (owned.find(({ primary }) => primary === true) ?? owned[0])?.identifier
  if (website === undefined) return domain
  const primary = String(website)
  if (siteOf(primary) === siteOf(domain) || siteOf(primary) === siteOf(house)) return primary
  const file = web[wellKnown(primary)]
  if (!isObject(file)) return domain
  const leads =
    file.authoritative_location === undefined
      ? file.house === house
      : file.authoritative_location === wellKnown(house)
  return leads ? primary : domain
}

/** Answers by the file of a brand; nothing if it is the file of somebody else. */
function answerOfBrand(
  web: BrandFiles,
  domain: string,
  { file, address, owner, house }: Found,
  now: number,
): ExpectedBrand | undefined {
  const owned = listWebsites(file)
  const isElsewhere = siteOf(new URL(address).hostname) !== siteOf(owner)
  if (isElsewhere && owned.length > 0 && !owned.includes(owner)) return undefined
  if (house !== undefined && !owned.includes(domain)) return leafOnly(domain, house)
  const brand = describe(file, owner)
  if (file.house_domain === undefined) return { ...brand, relationship_trust: 'standalone' }
  return { ...brand, ...compareClaims(web, owner, file, now) }
}

/** Compares what a brand says of its house with what that says of it. */
function compareClaims(web: BrandFiles, domain: string, brand: Json, now: number) {
  const named = String(brand.house_domain)
  const house = findHouse(web, named)
  if (house === undefined) return { relationship_trust: 'unverifiable', ...claim(named) }
  const { file, ...found } = house
  const isReferred = uniqueBy('domain', items(file.brand_refs)).some(
    ref => ref.domain === domain && ref.brand_id === brand.id && isDeclared(ref, now),
  )
  return isReferred
    ? { relationship_trust: 'mutual', ...found }
    : { relationship_trust: 'leaf_only', ...claim(named) }
}

/** Tells whether a reference counts now; one without a time counts from when it was first seen, which is now. */
function isDeclared({ effective_at }: Json, now: number): boolean {
  const since = effective_at === undefined ? now : Date.parse(String(effective_at))
  return since <= now && now - since < HALF_A_YEAR_MS
}

function describe(brand: Json, domain: string): ExpectedBrand {
  const names = items(brand.names)
  const english = names.find(({ en }) => en !== undefined)?.en
  const agent = items(brand.agents).find(({ type }) => type === 'brand')
  return {
    ...itself(domain, 'standalone'),
    brand_name: String(english ?? Object.values(names[0]!)[0]),
    brand_id: String(brand.id),
    keller_type: String(brand.keller_type ?? 'master'),
    ...(agent === undefined ? {} : { brand_agent_url: String(agent.url) }),
  }
}

const itself = (domain: string, relationship_trust: string): ExpectedBrand => ({
  canonical_id: domain,
  canonical_domain: domain,
  brand_name: domain,
  keller_type: 'master',
  relationship_trust,
})
const claim = (house: string) => ({ claimed_house_domain: house })
const leafOnly = (domain: string, house: string) => ({
  ...itself(domain, 'leaf_only'),
  ...claim(house),
})

/** Lists the websites that a brand owns; it does not own one that it merely sells. */
function listOwnedWebsites(brand: Json): Json[] {
  return items(brand.properties).filter(
    ({ type, relationship: how }) => type === 'website' && (how === undefined || how === 'owned'),
  )
}

const listWebsites = (brand: Json) => listOwnedWebsites(brand).map(({ identifier }) => identifier)

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const items = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isObject) : [])
const uniqueBy = (key: string, list: Json[]) =>
  list.filter((item, i) => list.findIndex(other => other[key] === item[key]) === i)

const isId = (id: string) => /^[a-z0-9_]+$/.test(id)
const isDomain = (text: unknown) =>
  typeof text === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)
/** Returns the registrable domain, for the names of these worlds. */
const siteOf = (host: string) => host.split('.').slice(-2).join('.')
