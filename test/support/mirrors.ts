import { findKeyHolder } from '../../api/auth/principal.ts'
import type { TestRegistry } from './app.ts'

/** Makes a key that decides what others hand in; its secret is what it sends. */
export async function createModerator(registry: TestRegistry): Promise<string> {
  const secret = await registry.createKey(`Keepers ${registry.sequencer.seq}`)
  const { id } = findKeyHolder(registry.reader, secret)!
  await registry.submit({ op: 'role.grant', role: 'moderator', holder: 'key', id })
  return secret
}

/** Builds a file as moderators keep it for a platform. */
export function buildMirrorFile(...collections: string[]) {
  return {
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
    collections: collections.map(collection_id => ({
      collection_id,
      name: `The ${collection_id}`,
    })),
  }
}
