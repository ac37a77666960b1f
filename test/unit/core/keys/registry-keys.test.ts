import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { importJWK } from 'jose'
import { expect, it } from 'vitest'
import { readRegistryKeys } from '../../../../pipeline/core/keys/registry-keys.ts'
import { writeRegistryKey } from '../../../support/registry/registry-keys.ts'

const read = (path: string | undefined) =>
  readRegistryKeys({ REGISTRY_SIGNING_KEYS: path, PROTOCOL_NAME: 'proto' })

const makeKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })

it('a registry without keys signs nothing', () => {
  expect(read(undefined)).toBeUndefined()
})

it('each purpose has a key of its own, the same at every start', async () => {
  const { path } = writeRegistryKey()
  const [first, second] = [read(path)!, read(path)!]
  expect(first.published).toEqual(second.published)
  const [badges, webhooks] = first.published
  expect(badges!.kid).not.toBe(webhooks!.kid)
  expect(badges!.kid).toBe(first.signers['badge-signing'].kid)
  expect(first.listPublished('badge-signing')).toEqual([badges])
  const signature = sign(null, Buffer.from('text'), second.signers['badge-signing'].privateKey)
  const isSigned = async (jwk: object) => {
    const key = (await importJWK(jwk, 'EdDSA')) as Parameters<typeof verify>[2]
    return verify(null, Buffer.from('text'), key, signature)
  }
  expect([await isSigned(badges!), await isSigned(webhooks!)]).toEqual([true, false])
})

it('the first of several keys signs, and the others still verify', () => {
  const { path } = writeRegistryKey()
  const old = read(path)!
  const jwk = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ keys: [makeKey(), jwk] }))
  const both = read(path)!
  expect(both.published.slice(2)).toEqual(old.published)
  expect(both.signers['badge-signing'].kid).toBe(both.published[0]!.kid)
})

it('a file of anything but private Ed25519 keys is refused, without disclosing its content', () => {
  const { path, secret } = writeRegistryKey()
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const { d: _, ...publicJwk } = makeKey()
  for (const content of [p256.export({ format: 'jwk' }), publicJwk, { keys: [] }, [secret], null]) {
    writeFileSync(path, JSON.stringify(content))
    expect(() => read(path)).toThrow(
      `REGISTRY_SIGNING_KEYS names ${path}, which has no private Ed25519 key as a JWK.`,
    )
  }
  expect(() => read('/nowhere.jwk')).toThrow('/nowhere.jwk, which does not exist.')
})
