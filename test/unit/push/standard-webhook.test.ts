import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { type RegistryKeys, readRegistryKeys } from '../../../pipeline/core/keys/registry-keys.ts'
import { pushTypes } from '../../../pipeline/core/push-types.ts'
import { buildDelivery, buildPost, type SignedPost } from '../../../pipeline/push/delivery.ts'
import { buildWebhookProfile } from '../../../pipeline/signing/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'standard-webhook-'))
const jwks = [1, 2].map(() => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))

function readKeys(...keys: object[]): RegistryKeys {
  const path = join(folder, randomUUID())
  writeFileSync(path, JSON.stringify({ keys }))
  return readRegistryKeys({ REGISTRY_SIGNING_KEYS: path, PROTOCOL_NAME: 'proto' })!
}

const subscription_id = randomUUID()
const url = 'https://receiver.example/changes'

function buildSigner(keys: RegistryKeys) {
  return {
    key: keys.signers['webhook-signing'],
    profile: buildWebhookProfile('proto'),
    deriveSecrets: keys.deriveReceiverSecrets,
    now: () => Date.now(),
  }
}

/** Opens a receiver that knows the secret which these keys share with a subscription. */
const openReceiver = (keys: RegistryKeys, id = subscription_id) =>
  new Webhook(`whsec_${keys.deriveReceiverSecrets(id)[0]!.toString('base64')}`)

const toText = ({ body }: SignedPost) => Buffer.concat(body).toString()

function deliver(keys: RegistryKeys): SignedPost {
  const bytes = Buffer.from('{"result":{"events":[{"name":"Käse"}],"cursor":"x"}')
  const hash = createHash('sha256').update(bytes)
  const at = '2026-11-20T03:00:00.000Z'
  const shared = { type: pushTypes.events, at, events: 1, bytes, hash }
  const [from, to] = [
    '01939f00-0000-7000-8000-000000000001',
    '01939f00-0000-7000-8000-000000000002',
  ]
  return buildDelivery(shared, { subscription_id, from, to }, url, buildSigner(keys))
}

test('the public library verifies deliveries, challenges and tests by the secret of the subscription', () => {
  const keys = readKeys(jwks[0]!)
  const delivery = deliver(keys)
  const content = { idempotency_key: randomUUID(), subscription_id, result: { challenge: 'x' } }
  for (const post of [delivery, buildPost(content, url, buildSigner(keys))]) {
    const read = openReceiver(keys).verify(toText(post), post.headers) as Record<string, unknown>
    expect(read.idempotency_key).toBe(post.headers['webhook-id'])
  }
  expect(deliver(keys).headers['webhook-id']).toBe(delivery.headers['webhook-id'])
})

test('the library refuses another secret, another body and another time', () => {
  const keys = readKeys(jwks[0]!)
  const post = deliver(keys)
  const text = toText(post)
  const receiver = openReceiver(keys)
  expect(() => openReceiver(keys, randomUUID()).verify(text, post.headers)).toThrow('matching')
  expect(() => receiver.verify(`${text} `, post.headers)).toThrow('matching')
  const later = { ...post.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 1) }
  expect(() => receiver.verify(text, later)).toThrow('matching')
})

test('a receiver with the secret of a former key goes on while the file still has it', () => {
  const former = readKeys(jwks[0]!)
  const post = deliver(readKeys(jwks[1]!, jwks[0]!))
  expect(post.headers['webhook-signature']!.split(' ')).toHaveLength(2)
  expect(openReceiver(former).verify(toText(post), post.headers)).toBeDefined()
  const dropped = deliver(readKeys(jwks[1]!))
  expect(() => openReceiver(former).verify(toText(dropped), dropped.headers)).toThrow('matching')
})
