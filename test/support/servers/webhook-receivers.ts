import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FastifyInstance, fastify } from 'fastify'
import { addWebhookReceiver } from '../../../api/agent/webhook-receiver.ts'
import { type Clock, SECOND, systemClock } from '../../../pipeline/core/clock.ts'
import { readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import {
  buildWebhookProfile,
  findInKeySet,
  MemoryDeliveryStore,
  MemoryReplayStore,
  type ProfileVersion,
  type Webhook,
} from '../../../pipeline/signing/index.ts'

/** Writes a signing key of a registry into a file that `remove` deletes. */
export function makeRegistryKey(): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'registry-key-'))
  const path = join(folder, 'registry.jwk')
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  writeFileSync(path, JSON.stringify(jwk))
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}

/** A server for all receivers of a test: plain HTTP, whatever the host. */
export interface Receivers {
  url: string
  hosts: Map<string, TestReceiver>
  /** Adds a receiver as other programs do: by the plugin that this project gives them. */
  add(host: string, options?: { accepts?: boolean }): TestReceiver
  close(): Promise<void>
}

export interface TestReceiver {
  url: string
  /** Webhooks that were processed, each once. */
  webhooks: Webhook[]
  /** Statuses of all answers. */
  statuses: number[]
  /** Answers by this instead of taking what comes; `hang` answers nothing. */
  fails: number | 'hang' | undefined
  /** Further headers of all answers. */
  headers: Record<string, string>
  listEvents(): FeedEvent[]
}

/** Starts receivers that verify signatures by the keys that a registry with this key file publishes. */
export async function openReceivers(
  keyPath: string,
  clock: Clock = systemClock,
  signingProfile: ProfileVersion = '3.1',
): Promise<Receivers> {
  const settings = { REGISTRY_SIGNING_KEYS: keyPath, PROTOCOL_NAME: 'proto' }
  const keys = readRegistryKeys(settings)!.published
  const app = fastify({ bodyLimit: 16 * 1024 * 1024 })
  const hosts = new Map<string, TestReceiver>()
  const apps = new Map<string, FastifyInstance>()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post('/*', async (request, reply) => {
    const host = request.headers.host!
    const receiver = hosts.get(host)
    if (receiver === undefined) return reply.code(404).send({})
    if (receiver.fails === 'hang') return new Promise(() => undefined)
    if (receiver.fails !== undefined) {
      receiver.statuses.push(receiver.fails)
      return reply.code(receiver.fails).send({})
    }
    const passed = await apps.get(host)!.inject({
      method: 'POST',
      url: request.url,
      headers: request.headers,
      payload: request.body as Buffer,
    })
    receiver.statuses.push(passed.statusCode)
    return reply
      .code(passed.statusCode)
      .headers({ ...passed.headers, ...receiver.headers })
      .send(passed.rawPayload)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    hosts,
    add(host, { accepts = true } = {}) {
      const receiver: TestReceiver = {
        url: `https://${host}/changes`,
        webhooks: [],
        statuses: [],
        fails: undefined,
        headers: {},
        listEvents: () =>
          receiver.webhooks.flatMap(({ result }) => (result as { events: FeedEvent[] }).events),
      }
      const own = fastify({ bodyLimit: 16 * 1024 * 1024 })
      own.register(addWebhookReceiver, {
        origin: `https://${host}`,
        path: '/changes',
        verifier: {
          profile: buildWebhookProfile('proto', signingProfile),
          findKey: keyid => findInKeySet({ keys }, keyid),
          replays: new MemoryReplayStore(),
        },
        deliveries: new MemoryDeliveryStore(),
        acceptsSubscription: () => accepts,
        process: async webhook => void receiver.webhooks.push(webhook),
        now: () => clock.now() / SECOND,
      })
      hosts.set(host, receiver)
      apps.set(host, own)
      return receiver
    },
    async close() {
      app.server.closeAllConnections()
      await app.close()
      for (const own of apps.values()) await own.close()
    },
  }
}
