import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildAgentApp } from '../../../api/agent/app.ts'
import { AgentState } from '../../../api/agent/state/store.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import type { ProfileVersion } from '../../../pipeline/core/signing-profiles.ts'
import type { FetchJson } from '../../../pipeline/signing/key-set.ts'
import { buildRequestProfile } from '../../../pipeline/signing/profile.ts'
import { signRequest } from '../../../pipeline/signing/sign.ts'
import { makeTemporaryFolder } from '../../support/processes/command.ts'
import { TOKEN } from '../../support/servers/reference-agent.ts'
import { type TestClock, testClock } from '../../support/worlds/clock.ts'

const URL_SIGNED = 'https://sales.example/mcp'
const A2A_SIGNED = 'https://sales.example/a2a'
const AGENT = 'https://agency.example/mcp'
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
let web: Record<string, object>
const pages: Record<string, object> = {
  'https://agency.example/.well-known/brand.json': {
    agents: [{ type: 'buying', url: AGENT, jwks_uri: JWKS }],
  },
  [JWKS]: { keys: [signer.jwk] },
}
const fetchJson: FetchJson = async url => (web[url] ? { value: web[url], url } : undefined)

let folder: ReturnType<typeof makeTemporaryFolder>
let clock: TestClock
let state: AgentState
let app: FastifyInstance

function open(settings: Record<string, string> = {}): FastifyInstance {
  const config = readConfig({
    PROTOCOL_NAME: 'adcp',
    TEST_AGENT_TOKEN: TOKEN,
    AGENT_BASE_URL: 'https://agent.example',
    AGENT_URLS: JSON.stringify({ sales: URL_SIGNED }),
    AGENT_SIGNED_TASKS: 'update_media_buy',
    ...settings,
  })
  const signers = {
    fetchJson,
    revoked: ['revoked'],
    trusted: { keys: [{ ...signer.jwk, kid: 'revoked' }] },
  }
  return buildAgentApp({ config, clock, log: silentLog, state, signers })
}

beforeEach(async () => {
  folder = makeTemporaryFolder()
  web = { ...pages }
  clock = testClock('2026-11-20T00:00Z')
  state = AgentState.open(join(folder.path, 'state.mdb'))
  app = open()
  await app.ready()
})

afterEach(async () => {
  await app.close()
  await state.close()
  folder.remove()
})

const call = (name: string, args: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
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
const signAs = (
  protocolName: string,
  body: string,
  { kid, privateKey }: Pick<Key, 'kid' | 'privateKey'>,
  url = URL_SIGNED,
  version: ProfileVersion = '3.1',
) => ({
  ...plain,
  ...signRequest(
    { method: 'POST', url, headers: plain, body },
    { keyid: kid, alg: 'ed25519', privateKey },
    buildRequestProfile(protocolName, 'required', version),
    { now: Math.floor(clock.now() / 1000) },
  ),
})
const sign = (
  body: string,
  signedBy: Pick<Key, 'kid' | 'privateKey'>,
  url?: string,
  version?: ProfileVersion,
) => signAs('adcp', body, signedBy, url, version)
const bearer = { authorization: `Bearer ${TOKEN}` }
const send = (url: string, body: string, headers: object = plain, credential: object = bearer) =>
  app.inject({
    method: 'POST',
    url,
    headers: { ...credential, accept: 'application/json', ...headers },
    payload: body,
  })
const post = async (body: string, headers: object = plain, credential: object = bearer) => {
  const answer = await send('/sales/mcp', body, headers, credential)
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
  test('is carried out if a key of its operator signed it, found by brand.json', async () => {
    const { status, payload } = await post(order(), sign(order(), signer))
    expect([status, payload.media_buy_id]).toEqual([200, expect.stringMatching(/^mb_/)])
  })

  test('is verified by the profile of the setting, which the agent declares', async () => {
    const covers = async () => {
      const { payload } = await post(call('get_adcp_capabilities', {}))
      return payload.request_signing.covers_content_digest
    }
    expect(await covers()).toBe('either')
    await app.close()
    app = open({ SIGNING_PROFILE: '3.2' })
    expect(await covers()).toBe('required')
    expect(await post(order(), sign(order(), signer))).toMatchObject(refusedFor('header_malformed'))
    const signed = sign(order(), signer, URL_SIGNED, '3.2')
    expect(await post(order(), signed)).toMatchObject({ status: 200 })
  })

  test('may have the tag of any name of the protocol, and no other', async () => {
    await app.close()
    app = open({ PROTOCOL_NAME: 'proto' })
    expect(await post(order(), sign(order(), signer))).toMatchObject({ status: 200 })
    await app.close()
    app = open({ PROTOCOL_NAME: 'adcp' })
    expect(await post(order(), signAs('proto', order(), signer))).toMatchObject(
      refusedFor('tag_invalid'),
    )
  })

  test('is refused if the id of its key is too long to be a key of the state', async () => {
    const kid = 'k'.repeat(1_900)
    web = { ...pages, [JWKS]: { keys: [{ ...signer.jwk, kid }] } }
    expect(await post(order(), sign(order(), { ...signer, kid }))).toMatchObject(
      refusedFor('key_unknown'),
    )
  })

  test('is refused before its task if the signature is invalid', async () => {
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
    expect(state.list('nonce', 'agency.example signer')).toEqual([true])
  })

  test('has idempotency keys of its own: the same key of another caller is another one', async () => {
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

test('several calls in one body are refused where one of them must be signed', async () => {
  const change = JSON.parse(call('update_media_buy', { account, media_buy_id: 'x' }))
  const reading = { ...JSON.parse(call('get_products', { brief: 'x' })), id: 2 }
  expect(await post(JSON.stringify([reading, change]))).toMatchObject(refusedFor('required'))
})

describe('over A2A', () => {
  const message = (skill: string, input: object) => {
    const parts = [{ kind: 'data', data: { skill, input } }]
    const params = { message: { kind: 'message', messageId: 'm1', role: 'user', parts } }
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params })
  }
  const purchase = message('create_media_buy', JSON.parse(order()).params.arguments)

  test('a signed request is carried out for its signer, as by MCP', async () => {
    const answer = await send('/sales/a2a', purchase, sign(purchase, signer, A2A_SIGNED), {})
    const [{ parts }] = answer.json().result.artifacts
    expect(parts[0].data).toHaveProperty('media_buy_id')
    expect((await post(order(), sign(order(), signer))).payload).toMatchObject({ replayed: true })
    expect((await post(order())).payload).not.toHaveProperty('replayed')
  })

  test('an invalid signature is refused, and so is a missing one where it is required', async () => {
    const change = message('update_media_buy', { account, media_buy_id: 'x' })
    for (const [body, headers, code] of [
      [purchase, sign(purchase, signer, URL_SIGNED), 'invalid'],
      [purchase, sign(purchase, stranger, A2A_SIGNED), 'key_unknown'],
      [change, plain, 'required'],
    ] as const) {
      const { statusCode: status, headers: answered } = await send('/sales/a2a', body, headers)
      expect({ status, challenge: answered['www-authenticate'] }).toEqual(refusedFor(code))
    }
    const signed = sign(change, signer, A2A_SIGNED)
    expect((await send('/sales/a2a', change, signed)).json().result.artifacts[0].name).toBe('error')
  })
})

describe('the keys of an operator', () => {
  test('are also found by an account or a media buy of its', async () => {
    const { payload } = await post(order(), sign(order(), signer))
    const { media_buy_id } = payload
    const listed = await post(call('get_media_buys', { account, media_buy_ids: [media_buy_id] }))
    const { account_id } = listed.payload.media_buys[0].account
    const args = { media_buy_id, idempotency_key: 'another-key-of-a-signature' }
    for (const body of [
      call('update_media_buy', { ...args, account: { account_id }, paused: true }),
      call('provide_performance_feedback', {
        ...args,
        measurement_period: { start: '2026-11-01T00:00:00Z', end: '2026-11-02T00:00:00Z' },
        performance_index: 1,
      }),
    ]) {
      expect((await post(body, sign(body, signer), {})).status).toBe(200)
      expect(await post(body, sign(body, stranger), {})).toMatchObject(refusedFor('key_unknown'))
    }
  })

  test('are those that its adagents.json pins to an agent, and no others', async () => {
    const pin = { ...stranger.jwk, revoked_at: '2026-11-20T01:00:00Z' }
    web['https://agency.example/.well-known/adagents.json'] = {
      authorized_agents: [{ url: `${AGENT}/`, signing_keys: [pin] }],
    }
    expect(await post(order(), sign(order(), signer))).toMatchObject(refusedFor('key_unknown'))
    expect((await post(order(), sign(order(), stranger))).status).toBe(200)
    delete web['https://agency.example/.well-known/adagents.json']
    clock.tick({ minutes: 2 })
    expect(await post(order(), sign(order(), signer))).toMatchObject(refusedFor('key_unknown'))
    clock.tick({ hours: 1 })
    expect(await post(order(), sign(order(), stranger))).toMatchObject(refusedFor('key_unknown'))
  })

  test('count apart from those of another operator that has the same name for one', async () => {
    const other = { brand: account.brand, operator: 'other.example' }
    web['https://other.example/.well-known/brand.json'] = {
      agents: [{ url: 'https://other.example/mcp', jwks_uri: 'https://other.example/keys.json' }],
    }
    web['https://other.example/keys.json'] = { keys: [{ ...stranger.jwk, kid: 'signer' }] }
    const body = JSON.stringify({
      ...JSON.parse(order()),
      params: {
        name: 'create_media_buy',
        arguments: { ...JSON.parse(order()).params.arguments, account: other },
      },
    })
    const first = await post(order(), sign(order(), signer))
    const second = await post(body, sign(body, { ...stranger, kid: 'signer' }))
    expect(second.payload).toHaveProperty('media_buy_id')
    expect(second.payload.media_buy_id).not.toBe(first.payload.media_buy_id)
  })
})
