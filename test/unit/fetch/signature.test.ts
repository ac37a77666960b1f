import { createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, it } from 'vitest'
import { readSigningKey } from '../../../pipeline/core/keys/signing-key.ts'
import { createDataDir } from '../../support/registry/registry.ts'
import {
  createFetcherTo,
  FILE_URL,
  fetchOptions,
  now,
  startOrigin,
} from '../../support/worlds/fetching.ts'

/** Writes a key file as an operator would. */
function writeKeyFile(content?: unknown): { path: string; publicJwk: JsonWebKey } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const path = join(createDataDir(), 'crawler.jwk')
  writeFileSync(path, JSON.stringify(content ?? privateKey.export({ format: 'jwk' })))
  return { path, publicJwk: publicKey.export({ format: 'jwk' }) }
}

/** Verifies a signature as RFC 9421 describes it, from the headers a site receives. */
function isSigned(headers: IncomingHttpHeaders, publicJwk: JsonWebKey): boolean {
  const input = String(headers['signature-input'])
  const [, label, params] = /^(\w+)=(\(.*)$/.exec(input)!
  const values: Record<string, string> = {
    '"@authority"': headers.host!.toLowerCase(),
    '"signature-agent"': String(headers['signature-agent']),
  }
  const covered = /^\(([^)]*)\)/.exec(params!)![1]!.split(' ')
  const lines = [
    ...covered.map(name => `${name}: ${values[name]}`),
    `"@signature-params": ${params}`,
  ]
  const signature = new RegExp(`^${label}=:([A-Za-z0-9+/=]+):$`).exec(
    String(headers.signature),
  )![1]!
  const key = createPublicKey({ key: publicJwk, format: 'jwk' })
  return verify(null, Buffer.from(lines.join('\n')), key, Buffer.from(signature, 'base64'))
}

async function recordRequests(path: string | undefined, urls: string[]) {
  const requests: IncomingHttpHeaders[] = []
  const served = await startOrigin((request, response, url) => {
    requests.push(request.headers)
    if (url === '/moved') response.writeHead(302, { location: 'https://www.acme.example/' })
    response.end('{}')
  })
  const agent = 'https://registry.example'
  const signing = path === undefined ? undefined : { key: readSigningKey(path), agent }
  const fetcher = createFetcherTo(served.url, { signing })
  for (const url of urls) await fetcher.fetchDocument(url, fetchOptions)
  return requests
}

describe('a crawler with a signing key', () => {
  it('signs each request so that holders of the public key can verify it', async () => {
    const { path, publicJwk } = writeKeyFile()
    const [first, second] = await recordRequests(path, [FILE_URL, FILE_URL])
    expect(isSigned(first!, publicJwk)).toBe(true)
    expect(isSigned(second!, publicJwk)).toBe(true)
    expect(isSigned({ ...first, host: 'nova.example' }, publicJwk)).toBe(false)
    expect(isSigned({ ...first, 'signature-agent': '"https://evil.example"' }, publicJwk)).toBe(
      false,
    )
    expect(isSigned(first!, writeKeyFile().publicJwk)).toBe(false)
  })

  it('names the key, the validity and the purpose', async () => {
    const { path, publicJwk } = writeKeyFile()
    const [headers, next] = await recordRequests(path, [FILE_URL, FILE_URL])
    expect(headers!['signature-agent']).toBe('"https://registry.example"')
    const input = String(headers!['signature-input'])
    expect(input).toMatch(/^sig1=\("@authority" "signature-agent"\);/)
    const params = Object.fromEntries(
      [...input.matchAll(/;(\w+)=("?)([^";]+)\2/g)].map(([, name, , value]) => [name, value]),
    )
    expect(params).toEqual({
      created: String(now / 1_000),
      expires: String(now / 1_000 + 300),
      keyid: await calculateJwkThumbprint(publicJwk),
      alg: 'ed25519',
      nonce: expect.stringMatching(/^[\w+/]{43}=$/),
      tag: 'web-bot-auth',
    })
    expect(next!['signature-input']).not.toBe(input)
  })

  it('signs again for the host of a redirect', async () => {
    const { path, publicJwk } = writeKeyFile()
    const requests = await recordRequests(path, ['https://acme.example/moved'])
    expect(requests.map(({ host }) => host)).toEqual(['acme.example', 'www.acme.example'])
    expect(requests.map(headers => isSigned(headers, publicJwk))).toEqual([true, true])
  })

  it('refuses anything else as a key, without repeating it', () => {
    const { publicJwk } = writeKeyFile()
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
    const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const wrong = [
      publicJwk,
      rsa.export({ format: 'jwk' }),
      p256.export({ format: 'jwk' }),
      'secret',
    ]
    for (const content of wrong) {
      const { path } = writeKeyFile(content)
      expect(() => readSigningKey(path)).toThrow(
        `CRAWL_SIGNING_KEY names ${path}, which has no private Ed25519 key as a JWK.`,
      )
    }
    expect(() => readSigningKey('/nowhere.jwk')).toThrow('/nowhere.jwk, which does not exist.')
  })
})

it('a crawler without a key signs nothing', async () => {
  const [headers] = await recordRequests(undefined, [FILE_URL])
  const names = Object.keys(headers!).filter(name => name.startsWith('signature'))
  expect(names).toEqual([])
})
