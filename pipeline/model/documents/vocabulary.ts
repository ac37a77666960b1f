/**
 * Closed lists of values that the specification defines for adagents.json, brand.json and agents. A value
 * that is not listed is a fault of the file; the parser says what becomes of it.
 */
export const propertyTypes = [
  'website',
  'mobile_app',
  'ctv_app',
  'desktop_app',
  'dooh',
  'podcast',
  'radio',
  'linear_tv',
  'streaming_audio',
  'ai_assistant',
] as const

export const identifierTypes = [
  'domain',
  'subdomain',
  'network_id',
  'ios_bundle',
  'android_package',
  'apple_app_store_id',
  'google_play_id',
  'roku_store_id',
  'fire_tv_asin',
  'samsung_app_id',
  'apple_tv_bundle',
  'bundle_id',
  'venue_id',
  'screen_id',
  'openooh_venue_type',
  'rss_url',
  'apple_podcast_id',
  'spotify_collection_id',
  'podcast_guid',
  'station_id',
  'facility_id',
] as const

/** Types of identifiers whose values are hosts of the web. */
export const hostTypes: ReadonlySet<string> = new Set(['domain', 'subdomain'])

export const distributionTypes = [
  'apple_podcast_id',
  'spotify_collection_id',
  'rss_url',
  'podcast_guid',
  'amazon_music_id',
  'iheart_id',
  'podcast_index_id',
  'youtube_channel_id',
  'youtube_channel_handle',
  'youtube_channel_url',
  'youtube_playlist_id',
  'amazon_title_id',
  'roku_channel_id',
  'pluto_channel_id',
  'tubi_id',
  'peacock_id',
  'tiktok_id',
  'twitch_channel',
  'imdb_id',
  'gracenote_id',
  'eidr_id',
  'domain',
  'substack_id',
] as const

export const channels = [
  'display',
  'olv',
  'social',
  'search',
  'ctv',
  'linear_tv',
  'radio',
  'streaming_audio',
  'podcast',
  'dooh',
  'ooh',
  'print',
  'cinema',
  'email',
  'gaming',
  'retail_media',
  'influencer',
  'affiliate',
  'product_placement',
  'sponsored_intelligence',
] as const

export const authorizationTypes = [
  'property_ids',
  'property_tags',
  'inline_properties',
  'publisher_properties',
  'signal_ids',
  'signal_tags',
] as const
export type AuthorizationType = (typeof authorizationTypes)[number]

export const delegationTypes = ['direct', 'delegated', 'ad_network'] as const

export const selectionTypes = ['all', 'by_id', 'by_tag'] as const
export const collectionKinds = ['series', 'publication', 'event_series', 'rotation'] as const
export const collectionStatuses = ['active', 'hiatus', 'ended', 'upcoming'] as const
export const signalValueTypes = ['binary', 'categorical', 'numeric'] as const

export const revocationReasons = [
  'relationship_ended',
  'compliance_violation',
  'publisher_request',
  'other',
] as const

export const relationships = ['owned', 'direct', 'delegated', 'ad_network'] as const
export type Relationship = (typeof relationships)[number]

export const kellerTypes = ['master', 'sub_brand', 'endorsed', 'independent'] as const
/** Role of a brand of which nobody says one, in every answer. */
export const DEFAULT_KELLER_TYPE = 'master'
export const architectures = ['branded_house', 'house_of_brands', 'hybrid'] as const
export const stores = ['apple', 'google', 'amazon', 'roku', 'samsung', 'lg', 'other'] as const

export const operatorScopes = [
  'all',
  'media_buying',
  'creative_generation',
  'rights_clearance',
  'governance',
  'measurement',
  'agent_operations',
] as const

export const trademarkStatuses = ['active', 'pending', 'abandoned', 'cancelled', 'expired'] as const
export const licenseTypes = ['owned', 'licensed_in', 'licensed_out'] as const

export const redirectReasons = [
  'acquisition',
  'divestiture',
  'rebrand',
  'regional',
  'legacy',
  'consolidation',
  'other',
] as const

export const agentTypes = [
  'brand',
  'rights',
  'measurement',
  'governance',
  'creative',
  'sales',
  'buying',
  'signals',
] as const
export type AgentType = (typeof agentTypes)[number]
