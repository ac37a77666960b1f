import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildAgentApp } from '../../../api/agent/app.ts'
import { AgentState } from '../../../api/agent/state/store.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { FetchJson } from '../../../pipeline/signing/key-set.ts'
import { buildRequestProfile } from '../../../pipeline/signing/profile.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/command.ts'
import { TOKEN } from '../../support/reference-agent.ts'

const URL_SIGNED = 'https://sales.example/mcp'
const JWKS = 'https://agency.example/keys.json'
const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' }
const [signer, stranger] = ['signer', 'stranger'].map(kid => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const use = { adcp_use: 'request-signing', key_ops: ['verify'] }
  return { kid, privateKey, jwk: { kid, ...publicKey.export({ format: 'jwk' }), ...use } }
}) as [Key, Key]
type Key = {
  kid: string
  privateKey: ReturnType<typeof generateKeyPairSync>['privateKey']
  jwk: object
}

/** The web of the operator: its brand.json, and the keys of its agent. */
const web: Record<string, object> = {
  'https://agency.example/.well-known/brand.json': {
    agents: [{ type: 'buying', url: 'https://agency.example/mcp', jwks_uri: JWKS }],
  },
  [JWKS]: { keys: [signer.jwk] },
}
const fetchJson: FetchJson = async url => (web[url] ? { value: web[url], url } : undefined)

let folder: ReturnType<typeof temporaryFolder>
let clock: TestClock
let state: AgentState
let app: FastifyInstance

beforeEach(async () => {
  folder = temporaryFolder()
  clock = testClock('2026-11-20T00:00Z')
  state = AgentState.open(join(folder.path, 'state.mdb'))
  const config = readConfig({
    PROTOCOL_NAME: 'adcp',
    TEST_AGENT_TOKEN: TOKEN,
    AGENT_BASE_URL: 'https://agent.example',
    AGENT_URLS: JSON.stringify({ sales: URL_SIGNED }),
    AGENT_SIGNED_TASKS: 'update_media_buy',
  })
  const signers = {
    fetchJson,
    revoked: ['revoked'],
    trusted: { keys: [{ ...signer.jwk, kid: 'revoked' }] },
  }
  app = buildAgentApp({ config, clock, log: silentLog, state, signers })
  await app.ready()
})

afterEach(async () => {
  await app.close()
  await state.close()
  folder.remove()
})

const call = (name: string, given: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  })
const order = (budget = 100) =>
  call('create_media_buy', {
    idempotency_key: 'key-of-a-signature',
    account,
    brand: account.brand,
    start_time: '2026-11-21T00:00:00Z',
    end_time: '2026-12-01T00:00:00Z',
    packages: [{ product_id: 'test-product', pricing_option_id: 'test-pricing', budget }],
  })
const plain = { 'content-type': 'application/json' }
const sign = (body: string, { kid, privateKey }: Pick<Key, 'kid' | 'privateKey'>) => ({
  ...plain,
  ...signRequest(
    { method: 'POST', url: URL_SIGNED, headers: plain, body },
    { keyid: kid, alg: 'ed25519', privateKey },
    buildRequestProfile('adcp', 'required'),
    { now: Math.floor(clock.now() / 1000) },
  ),
})
const bearer = { authorization: `Bearer ${TOKEN}` }
const post = async (body: string, headers: object = plain, credential: object = bearer) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/sales/mcp',
    headers: { ...credential, accept: 'application/json', ...headers },
    payload: body,
  })
  return {
    status: answer.statusCode,
    challenge: answer.headers['www-authenticate'],
    payload: answer.json().result?.structuredContent,
  }
}
const refusedFor = (code: string) => ({
  status: 401,
  challenge: `Signature error="request_signature_${code}"`,
})

describe('a signed request', () => {
  test('is carried out where a key of its operator signed it, found by brand.json', async () => {
    const { status, payload } = await post(order(), sign(order(), signer))
    expect([status, payload.media_buy_id]).toEqual([200, expect.stringMatching(/^mb_/)])
  })

  test('is refused before its task where the signature does not hold', async () => {
    const body = order()
    const headers = sign(body, signer)
    expect(await post(order(9), headers)).toMatchObject(refusedFor('digest_mismatch'))
    expect(await post(body, sign(body, stranger))).toMatchObject(refusedFor('key_unknown'))
    expect(await post(body, sign(body, { ...stranger, kid: 'signer' }))).toMatchObject(
      refusedFor('invalid'),
    )
    expect(await post(body, sign(body, { ...signer, kid: 'revoked' }))).toMatchObject(
      refusedFor('key_revoked'),
    )
    expect(await post(body, { ...headers, signature: 'x' })).toMatchObject(
      refusedFor('header_malformed'),
    )
    clock.tick({ minutes: 10 })
    expect(await post(body, headers)).toMatchObject(refusedFor('window_invalid'))
  })

  test('needs no other credential, and a forged one opens nothing', async () => {
    expect((await post(order(), sign(order(), signer), {})).payload).toHaveProperty('media_buy_id')
    expect(await post(order(), sign(order(), stranger), {})).toMatchObject(
      refusedFor('key_unknown'),
    )
    const half = { ...plain, signature: 'sig1=:YQ==:' }
    expect(await post(order(), half, {})).toMatchObject(refusedFor('header_malformed'))
  })

  test('is accepted once, whichever process it reaches', async () => {
    const headers = sign(order(), signer)
    await post(order(), headers)
    expect(await post(order(), headers)).toMatchObject(refusedFor('replayed'))
    expect(state.list('nonce', 'signer')).toEqual([true])
  })

  test('has keys of its own: another caller with the same one is another', async () => {
    const [signed, unsigned] = [await post(order(), sign(order(), signer)), await post(order())]
    expect(unsigned.payload).not.toHaveProperty('replayed')
    expect(unsigned.payload.media_buy_id).not.toBe(signed.payload.media_buy_id)
    expect((await post(order(), sign(order(), signer))).payload).toMatchObject({ replayed: true })
  })
})

test('a task that must be signed is refused without a signature, and capabilities say so', async () => {
  const change = call('update_media_buy', { account, media_buy_id: 'x' })
  expect(await post(change)).toMatchObject(refusedFor('required'))
  const { payload } = await post(call('get_adcp_capabilities', {}))
  expect(payload.request_signing).toEqual({
    supported: true,
    covers_content_digest: 'either',
    required_for: ['update_media_buy'],
  })
})
