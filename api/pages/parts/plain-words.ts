import { clipText } from '../html/text.tsx'

/** Words of pages for names that the formats and the API use. */
const plainWords: Readonly<Record<string, string>> = {
  'admin:*': 'Full access',
  'admin:read': 'Standard, plus read access to keys, people and the audit log',
  android_package: 'Android package',
  apple_app_store_id: 'App Store ID',
  apple_podcast_id: 'Apple Podcasts ID',
  apple_tv_bundle: 'Apple TV bundle',
  bundle_id: 'bundle ID',
  ctv_app: 'TV app',
  dns_txt: 'DNS record',
  dooh: 'digital out-of-home',
  facility_id: 'facility ID',
  fire_tv_asin: 'Fire TV ASIN',
  google_play_id: 'Google Play ID',
  http: 'file on the site',
  inline_properties: 'a list in the entry',
  ios_bundle: 'iOS bundle',
  mobile_app: 'mobile app',
  network_id: 'network ID',
  not_listed: 'no longer listed',
  openooh_venue_type: 'OpenOOH venue type',
  podcast_guid: 'podcast GUID',
  property_id: 'property ID',
  property_ids: 'property IDs',
  property_tags: 'property tags',
  publisher_properties: 'publisher domain',
  read: 'Read only: lookups, search and the feed',
  roku_store_id: 'Roku store ID',
  rss_url: 'RSS URL',
  samsung_app_id: 'Samsung app ID',
  screen_id: 'screen ID',
  si: 'sponsored intelligence',
  signal_ids: 'signal IDs',
  signal_tags: 'signal tags',
  spotify_collection_id: 'Spotify collection ID',
  stale_reason: 'reason',
  station_id: 'station ID',
  sub_brand: 'sub-brand',
  validation_failed: 'the file couldn’t be read',
  venue_id: 'venue ID',
}

/** Describes a name of a format in plain words; one without an entry loses its underscores. */
export function toPlainWords(name: string): string {
  return (Object.hasOwn(plainWords, name) && plainWords[name]) || name.replaceAll('_', ' ')
}

const salesWords: Readonly<Record<string, string>> = {
  ad_network: 'sells as an ad network',
  delegated: 'sells on the owner’s behalf',
  direct: 'sells directly',
  owned: 'owns the property',
}

/** Describes in which way an agent sells; a way that the formats do not know stays as it is written. */
export function describeSelling(delegation: string): string {
  return (
    (Object.hasOwn(salesWords, delegation) && salesWords[delegation]) || `sells as ${delegation}`
  )
}

/** Describes in which way a publisher lets an agent sell; undefined if it does not say. */
export function describeGrantedSelling(grant: {
  delegation_type?: string | null | undefined
  exclusive?: boolean | undefined
}): string | undefined {
  const way = grant.delegation_type ? describeSelling(clipText(grant.delegation_type, 40)) : ''
  if (!grant.exclusive) return way || undefined
  if (!way) return 'sells exclusively'
  return `${way}${grant.delegation_type === 'direct' ? ' and' : ','} exclusively`
}

let regions: Intl.DisplayNames | undefined

/** Describes a country by its name. */
export function toCountryName(code: string): string {
  if (!/^[a-z]{2}$/i.test(code)) return code
  regions ??= new Intl.DisplayNames('en', { type: 'region' })
  return regions.of(code.toUpperCase()) ?? code
}

const HAS_ARTICLE =
  /^(?:United |Netherlands|Philippines|Bahamas|Maldives|Gambia)|(?:Republic|Islands)$/

/** Names a country within a sentence: `the United Kingdom`. */
export function toCountryInSentence(code: string): string {
  const name = toCountryName(code)
  return HAS_ARTICLE.test(name) ? `the ${name}` : name
}
