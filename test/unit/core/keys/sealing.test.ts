import { expect, it } from 'vitest'
import { readConfig } from '../../../../pipeline/core/config.ts'
import { decryptSecret, encryptSecret } from '../../../../pipeline/core/keys/sealing.ts'
import {
  decryptCredential,
  encryptCredential,
} from '../../../../pipeline/model/agent-credential.ts'

const key = Buffer.alloc(32, 1).toString('base64')
const other = Buffer.alloc(32, 2).toString('base64')

it('a sealed secret opens with its key at its place, and nowhere else', () => {
  const sealed = encryptSecret(key, 'sécret', 'here')
  expect(sealed).not.toBe(encryptSecret(key, 'sécret', 'here'))
  expect(decryptSecret(key, sealed, 'here')).toBe('sécret')
  expect(decryptSecret(other, sealed, 'here')).toBeUndefined()
  expect(decryptSecret(key, sealed, 'there')).toBeUndefined()
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  for (const wrong of [changed, sealed.slice(0, 20), 'v1.', '', sealed.slice(3)]) {
    expect(decryptSecret(key, wrong, 'here')).toBeUndefined()
  }
})

it('the credential of one agent does not open another', () => {
  const place = { org_id: 'org', agent_url: 'https://a.example' }
  const said = { auth_type: 'bearer', auth_token: 'token' } as const
  const sealed = encryptCredential(key, said, place)
  expect(decryptCredential(key, sealed, place)).toEqual({ authorization: 'Bearer token' })
  expect(
    decryptCredential(key, sealed, { ...place, agent_url: 'https://b.example' }),
  ).toBeUndefined()
  expect(decryptCredential(key, sealed, { ...place, org_id: 'other' })).toBeUndefined()
})

it.each(['me:pass', Buffer.from('me:pass').toString('base64')])('%s is sent as Basic', token => {
  const place = { org_id: 'org', agent_url: 'https://a.example' }
  const sealed = encryptCredential(key, { auth_type: 'basic', auth_token: token }, place)
  expect(decryptCredential(key, sealed, place)).toEqual({ authorization: 'Basic bWU6cGFzcw==' })
})

it('the key of the settings must be 32 bytes', () => {
  expect(readConfig({ CREDENTIALS_KEY: key }).CREDENTIALS_KEY).toBe(key)
  for (const wrong of ['short', Buffer.alloc(31).toString('base64'), `${key}${key}`]) {
    expect(() => readConfig({ CREDENTIALS_KEY: wrong })).toThrow('CREDENTIALS_KEY must be 32 bytes')
  }
})
