import { generateKeyPairSync } from 'node:crypto'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { addWebhookReceiver } from '../../api/agent/webhook-receiver.ts'
import {
  buildWebhookProfile,
  MemoryDeliveryStore,
  MemoryReplayStore,
  type PublicJwk,
  signRequest,
  type Webhook,
} from '../../pipeline/signing/index.ts'

const NOW = 1_790_000_000
const ORIGIN = 'https://buyer.example'
const profile = buildWebhookProfile('proto')
const pair = generateKeyPairSync('ed25519')
const jwk = {
  ...pair.publicKey.export({ format: 'jwk' }),
  kid: 'k1',
  key_ops: ['verify'],
  proto_use: 'webhook-signing',
} as PublicJwk

const webhook: Webhook = {
  idempotency_key: 'f0b8e0f6-6b7b-4a06-8f0e-0a3f1f8f6c55',
  task_id: 't1',
  task_type: 'create_media_buy',
  status: 'completed',
  timestamp: '2026-11-20T03:00:00Z',
  result: { media_buy_id: 'mb1', packages: [{ package_id: 'p1' }] },
}

async function openReceiver(process: (webhook: Webhook) => Promise<void>) {
  const app = fastify()
  await app.register(addWebhookReceiver, {
    origin: ORIGIN,
    path: '/hooks/:buy',
    verifier: { profile, findKey: () => jwk, replays: new MemoryReplayStore() },
    deliveries: new MemoryDeliveryStore(),
    process,
    now: () => NOW,
  })
  const post = (body: string, change: Record<string, string> = {}) => {
    const url = '/hooks/1?x=1'
    const headers = { 'content-type': 'application/json' }
    const signed = signRequest(
      { method: 'POST', url: `${ORIGIN}${url}`, headers, body },
      { keyid: 'k1', alg: 'ed25519', privateKey: pair.privateKey },
      profile,
      { now: NOW },
    )
    return app.inject({ method: 'POST', url, headers: { ...headers, ...signed, ...change }, body })
  }
  return { app, post }
}

test('a webhook is processed once, however often it is delivered', async () => {
  const received: string[] = []
  const { app, post } = await openReceiver(async ({ task_id }) => void received.push(task_id))
  const answers = await Promise.all([1, 2, 3].map(() => post(JSON.stringify(webhook))))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  expect(answers[0]!.json()).toEqual({ received: true })
  expect(received).toEqual(['t1'])
  await app.close()
})

test('a webhook with an invalid signature is refused with the reason, and not processed', async () => {
  const received: string[] = []
  const { app, post } = await openReceiver(async ({ task_id }) => void received.push(task_id))
  const answer = await post(JSON.stringify(webhook), { 'Content-Digest': 'sha-256=:AAAA:' })
  expect(answer.statusCode).toBe(401)
  expect(answer.headers['www-authenticate']).toBe('Signature error=webhook_signature_invalid')
  expect(answer.json()).toMatchObject({ code: 'webhook_signature_invalid' })
  const unsigned = await app.inject({ method: 'POST', url: '/hooks/1', payload: webhook })
  expect(unsigned.headers['www-authenticate']).toBe(
    'Signature error=webhook_signature_header_malformed',
  )
  expect(received).toEqual([])
  await app.close()
})

test('a signed body that is no webhook is reported as the sender’s mistake', async () => {
  const { app, post } = await openReceiver(async () => {})
  const { idempotency_key: _, ...incomplete } = webhook
  for (const body of [JSON.stringify(incomplete), 'no json', '']) {
    const answer = await post(body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST' })
  }
  await app.close()
})

test('a webhook whose processing failed is processed at its next delivery', async () => {
  let attempts = 0
  const { app, post } = await openReceiver(async () => {
    if (++attempts === 1) throw new Error('no room')
  })
  expect((await post(JSON.stringify(webhook))).statusCode).toBe(500)
  expect((await post(JSON.stringify(webhook))).statusCode).toBe(200)
  expect((await post(JSON.stringify(webhook))).statusCode).toBe(200)
  expect(attempts).toBe(2)
  await app.close()
})
