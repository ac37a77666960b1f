import { hash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { findClient, isUnusedClient } from '../../pipeline/read/lookups/people.ts'
import { hashCallerForLong } from '../limits/caller.ts'
import type { Services } from '../operation/services.ts'
import { getExchangeCaller } from './pending-requests.ts'
import { findForeignScheme } from './redirect-schemes.ts'

/** Refusals of a registration, by what is wrong with it. */
interface Refusals {
  refuseRedirect: (uri: string) => never
  refuseMetadata: (text: string) => never
}

/**
 * Stores the applications that register: the writer stores them, and every process finds them in the serving
 * store. Only the hash of a secret is stored; it takes the place of the secret in the record that is read.
 */
export function openClientRecords(
  { reader, writer }: Pick<Services, 'reader' | 'writer'>,
  { refuseRedirect, refuseMetadata }: Refusals,
): Adapter {
  return {
    async upsert(client_id, { client_secret, ...metadata }) {
      const foreign = findForeignScheme((metadata.redirect_uris as string[] | undefined) ?? [])
      if (foreign !== undefined) refuseRedirect(foreign)
      const secret_hash = client_secret === undefined ? null : hashSecret(client_secret)
      const answer = await writer.submit(
        {
          op: 'client.register',
          client_id,
          metadata: { ...metadata },
          secret_hash,
          caller_hash: hashCallerForLong(getExchangeCaller()),
        },
        { by: { kind: 'registry', id: 'sign-in' } },
      )
      if ('refused' in answer) refuseMetadata(answer.refused)
    },
    async find(client_id) {
      const found = findClient(reader, client_id)
      if (found === undefined) return undefined
      const { metadata, secret_hash } = found
      const secret = secret_hash !== null && { client_secret: secret_hash }
      return { ...metadata, ...secret, client_id } as AdapterPayload
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => undefined,
    destroy: async () => undefined,
    revokeByGrantId: async () => undefined,
  }
}

/** Keeps an application from ending unused, since a person signs in with it. */
export async function keepClient(
  client_id: string,
  { reader, writer }: Pick<Services, 'reader' | 'writer'>,
): Promise<void> {
  if (!isUnusedClient(reader, client_id)) return
  await writer.submit({ op: 'client.use', client_id }, { by: { kind: 'registry', id: 'sign-in' } })
}

/** Hashes the secret of an application; it is random, so no slow hash is needed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
