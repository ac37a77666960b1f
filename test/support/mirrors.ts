/** A file such as moderators keep for a platform. */
export function mirrorFile(...collections: string[]) {
  return {
    contact: { name: 'Ada Keeper', email: 'ada@keepers.example' },
    catalog_etag: 'v1',
    properties: [
      {
        ...{ property_id: 'pictures', property_type: 'mobile_app', name: 'Pictures' },
        identifiers: [{ type: 'domain', value: 'pictures.example' }],
        publisher_domain: 'pictures.example',
      },
    ],
    collections: collections.map(collection_id => ({
      collection_id,
      name: `The ${collection_id}`,
    })),
  }
}
