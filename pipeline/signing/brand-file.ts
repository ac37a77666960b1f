import type { FetchJson } from './key-set.ts'

/** The parts of a brand.json that lead to keys. */
export interface BrandFile {
  authoritative_location?: unknown
  house?: unknown
  brands?: unknown
  agents?: unknown
}

export interface FetchedBrand {
  brand: BrandFile
  url: string
  maxAge?: number
}

/** An agent as a brand.json declares it. */
export interface DeclaredAgent {
  url: string
  jwks_uri?: unknown
}

/** Pointers that are followed from one brand.json to another. */
const POINTERS_MAX = 3

/** Fetches the brand.json of a domain, or the one that it points to. */
export function fetchBrandFile(
  domain: string,
  fetchJson: FetchJson,
): Promise<FetchedBrand | undefined> {
  return fetchFile(`https://${domain}/.well-known/brand.json`, fetchJson, [])
}

async function fetchFile(
  url: string,
  fetchJson: FetchJson,
  visited: readonly string[],
): Promise<FetchedBrand | undefined> {
  if (visited.includes(url) || visited.length > POINTERS_MAX) return undefined
  const fetched = await fetchJson(url, { redirects: true })
  if (!fetched || typeof fetched.value !== 'object' || fetched.value === null) return undefined
  const brand = fetched.value as BrandFile
  const next = findPointer(brand)
  if (next !== undefined) return fetchFile(next, fetchJson, [...visited, url])
  const { maxAge } = fetched
  return { brand, url: fetched.url, ...(maxAge === undefined ? {} : { maxAge }) }
}

function findPointer({ authoritative_location, house }: BrandFile): string | undefined {
  if (typeof authoritative_location === 'string') return authoritative_location
  return typeof house === 'string' ? `https://${house}/.well-known/brand.json` : undefined
}

/**
 * Lists the agents that a brand.json declares and that match: those of its brands, or else of its house,
 * or else of the file itself.
 */
export function listDeclaredAgents(
  { brands, house, agents }: BrandFile,
  matches: (agent: DeclaredAgent) => boolean,
): DeclaredAgent[] {
  const findIn = (part: unknown) => {
    const list = (part as { agents?: unknown } | null)?.agents
    return (Array.isArray(list) ? list : []).filter(
      agent => typeof agent?.url === 'string' && matches(agent),
    )
  }
  const ofBrands = (Array.isArray(brands) ? brands : []).flatMap(findIn)
  return [ofBrands, findIn(house), findIn({ agents })].find(list => list.length > 0) ?? []
}
