import { getRegistrableDomain, isSameSite, parseDomain } from '../core/domain.ts'
import type { BrandProperty, Identifier, Relationship } from '../model/documents/index.ts'
import { isUrl } from '../model/observation.ts'
import type { OperatorRule } from '../model/operator-side.ts'
import { listLookupKeys, toIdentifierKey } from './identifiers.ts'

/** Declaration of a brand.json about a property: that it is its own, or how it is sold. */
export type Declared = Pick<BrandProperty, 'type' | 'identifier' | 'store' | 'relationship'> & {
  brand_id: string
}

/** The operator of an agent: the domain whose brand.json speaks for it. */
export interface Operator {
  domain: string
  /** The file: a domain (its well-known place) or an address. */
  location: string
  /** The file names the agent; otherwise it is merely the file of the agent's site. */
  names_agent: boolean
}

/**
 * Resolves the operator of an agent from the brand.json files that name it: one of the agent's own
 * site takes precedence. Any file can name any agent, so several other files that do are no proof
 * and give no operator.
 */
export function resolveOperator(
  agentUrl: string,
  namedBy: readonly string[],
): Operator | undefined {
  const host = new URL(agentUrl).hostname
  const sorted = [...namedBy].sort()
  const own = sorted.find(location => isSameSite(getHost(location), host))
  const only = sorted.length === 1 ? sorted[0] : undefined
  const location = own ?? only
  if (location !== undefined) return { domain: getHost(location), location, names_agent: true }
  const site = getRegistrableDomain(host)
  return site === undefined ? undefined : { domain: site, location: site, names_agent: false }
}

function getHost(location: string): string {
  return isUrl(location) ? new URL(location).hostname : location
}

const appStores: Readonly<Record<string, readonly string[]>> = {
  apple: ['ios_bundle', 'apple_app_store_id', 'apple_tv_bundle', 'bundle_id'],
  google: ['android_package', 'google_play_id', 'bundle_id'],
  amazon: ['fire_tv_asin'],
  roku: ['roku_store_id'],
  samsung: ['samsung_app_id'],
}
const anyStore = [...new Set(Object.values(appStores).flat())]

/** The types of identifier that the one identifier of a declared property can be. */
const identifierTypes: Readonly<Record<string, readonly string[]>> = {
  website: ['domain', 'subdomain'],
  desktop_app: ['bundle_id'],
  dooh: ['venue_id', 'screen_id', 'network_id'],
  podcast: ['rss_url', 'apple_podcast_id', 'spotify_collection_id', 'podcast_guid'],
  radio: ['station_id', 'facility_id', 'network_id'],
  linear_tv: ['station_id', 'facility_id', 'network_id'],
  streaming_audio: ['station_id', 'network_id', 'bundle_id'],
  ai_assistant: ['bundle_id'],
}

/** Converts a declared property to identifiers as a publisher's file could write them. */
export function toIdentifiers({
  type,
  store,
  identifier: value,
}: Pick<Declared, 'type' | 'identifier'> & { store?: string | undefined }): Identifier[] {
  const isApp = type === 'mobile_app' || type === 'ctv_app'
  const types = isApp ? (appStores[store ?? ''] ?? anyStore) : (identifierTypes[type] ?? [])
  const isName = !isApp && parseDomain(value) !== undefined
  const all = new Set([...types, type, ...(isName ? ['domain'] : [])])
  return [...all].map((type): Identifier => ({ type: type, value }))
}

/** Cached keys of properties: the same properties are judged many times. */
const keysKnown = new WeakMap<readonly Identifier[], string[]>()

function toKeys(identifiers: readonly Identifier[]): string[] {
  const known = keysKnown.get(identifiers)
  if (known !== undefined) return known
  const keys = identifiers.flatMap(listLookupKeys)
  keysKnown.set(identifiers, keys)
  return keys
}

/** Declarations of an operator's file, indexed by the keys of property identifiers. */
export class Declarations {
  readonly #byKey = new Map<string, Declared[]>()
  readonly all: readonly Declared[]

  constructor(all: readonly Declared[]) {
    this.all = all
    for (const declared of all) {
      for (const key of new Set(toIdentifiers(declared).map(toIdentifierKey))) {
        const same = this.#byKey.get(key)
        if (same) same.push(declared)
        else this.#byKey.set(key, [declared])
      }
    }
  }

  /** Returns the keys of what is declared (`toIdentifierKey`). */
  get keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  /** Lists the declarations about a property with these identifiers. */
  listFor(identifiers: readonly Identifier[]): Declared[] {
    if (this.#byKey.size === 0) return []
    const found = new Set(toKeys(identifiers).flatMap(key => this.#byKey.get(key) ?? []))
    return [...found]
  }
}

/**
 * Compares an operator's declaration of a property with the publisher's grant. A declaration of
 * ownership matches only in the first-party case, where the publisher is a site of the operator;
 * there it needs no counterpart. A delegation that is not stated matches nothing and contradicts
 * nothing.
 */
export function compareDeclared(
  relationships: readonly Relationship[],
  delegation: string | undefined,
  isFirstParty: () => boolean,
): OperatorRule {
  const isOwned = relationships.includes('owned')
  if (relationships.every(relationship => relationship === 'owned') && !isFirstParty())
    return 'claims_to_own'
  if (delegation === undefined) return 'delegation_not_stated'
  if (relationships.includes(delegation as Relationship)) return 'declared_alike'
  return isOwned && isFirstParty() ? 'owns_it' : 'declared_otherwise'
}
