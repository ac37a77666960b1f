/** Words of pages for names that the formats and the API use. */
const plainWords: Readonly<Record<string, string>> = {
  'admin:*': 'Everything, including keys and people',
  'admin:read': 'Also read keys, people and the audit log',
  brand_json: 'own file',
  community: 'added by a member',
  ctv_app: 'TV app',
  dns_txt: 'DNS record',
  dooh: 'digital out-of-home',
  enriched: 'third party',
  http: 'file on the site',
  inline_properties: 'properties in the entry',
  mobile_app: 'mobile app',
  not_declared: 'not declared by the operator',
  property_ids: 'property IDs',
  property_tags: 'property tags',
  publisher_properties: 'properties of other publishers',
  signal_ids: 'signal IDs',
  signal_tags: 'signal tags',
  stale_reason: 'why it is out of date',
  sub_brand: 'sub-brand',
}

/** Describes a name of a format in plain words; one without an entry loses its underscores. */
export function toPlainWords(name: string): string {
  return (Object.hasOwn(plainWords, name) && plainWords[name]) || name.replaceAll('_', ' ')
}
