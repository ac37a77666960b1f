/** Entry of a member of the demo for a domain without files of its own, as the examples of the API show it. */
export const savedEntry = {
  domain: 'kept.example',
  brand_name: 'Kept',
  properties: [{ type: 'website', name: 'Kept', identifiers: [], tags: [] }],
}

/** Catalog of a platform that publishes none, as a moderator keeps it. */
export const videoMirror = {
  platform: 'video',
  file: {
    contact: { name: 'Ada Keeper', email: 'ada@keepers.example' },
    catalog_etag: 'v1',
    properties: [
      {
        property_id: 'pictures',
        property_type: 'mobile_app',
        name: 'Pictures',
        identifiers: [{ type: 'domain', value: 'pictures.example' }],
        publisher_domain: 'pictures.example',
      },
    ],
  },
}

/** Policy that the demo registry publishes itself. */
export const demoPolicy = {
  policy_id: 'ccpa',
  version: '1',
  name: 'CCPA',
  jurisdictions: ['US'],
  category: 'regulation',
  enforcement: 'must',
  policy: 'Ask first.',
}
