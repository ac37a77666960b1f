import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../pipeline/core/config.ts'

describe('DNS_SERVER', () => {
  it.each(['127.0.0.1:53', '9.9.9.9', '[2620:fe::fe]:5353', '[::1]', '2620:fe::fe'])(
    'may be %s',
    DNS_SERVER => {
      expect(readConfig({ DNS_SERVER }).DNS_SERVER).toBe(DNS_SERVER)
    },
  )

  it.each([
    'dns.example:53',
    'localhost',
    '127.0.0.1:',
    '127.0.0.1:0',
    '127.0.0.1:70000',
    '1.2.3:53',
  ])('may not be %s: it must be an address', DNS_SERVER => {
    expect(() => readConfig({ DNS_SERVER })).toThrow('DNS_SERVER must be ADDRESS:PORT')
  })
})

describe('TRUSTED_PROXIES', () => {
  it('are none by default', () => {
    expect(readConfig({}).TRUSTED_PROXIES).toEqual([])
    const TRUSTED_PROXIES = '127.0.0.1, 10.0.0.0/8,fd00::/8,'
    expect(readConfig({ TRUSTED_PROXIES }).TRUSTED_PROXIES).toEqual([
      '127.0.0.1',
      '10.0.0.0/8',
      'fd00::/8',
    ])
  })

  it.each(['true', 'proxy.example', '10.0.0.0/33', '1', '10.0.0.1 10.0.0.2', '*'])(
    'may not be %s',
    TRUSTED_PROXIES => {
      expect(() => readConfig({ TRUSTED_PROXIES })).toThrow('TRUSTED_PROXIES')
    },
  )
})

describe('BASE_URL', () => {
  it.each(['https://registry.example', 'https://registry.example/', 'http://127.0.0.1:3000'])(
    'may be %s',
    BASE_URL => {
      expect(readConfig({ BASE_URL })).toMatchObject({ BASE_URL })
    },
  )

  it.each([
    'https://example.org/registry',
    'https://registry.example/?a=b',
    'https://registry.example/#top',
    'https://user:secret@registry.example',
  ])('may not be %s: pages link to paths of the host', BASE_URL => {
    expect(() => readConfig({ BASE_URL })).toThrow('BASE_URL must be a host of its own')
  })
})

describe('CRAWL_SIGNING_KEY', () => {
  it('requires the address of the public key', () => {
    expect(() => readConfig({ CRAWL_SIGNING_KEY: 'key.jwk' })).toThrow('requires BASE_URL')
    const BASE_URL = 'https://registry.example'
    expect(readConfig({ CRAWL_SIGNING_KEY: 'key.jwk', BASE_URL })).toMatchObject({ BASE_URL })
  })
})

describe('BACKUP_TO', () => {
  it.each([
    ['s3://registry/private', 's3://registry/public'],
    ['s3://registry/data', 's3://registry/database'],
    ['s3://private', 's3://public'],
    ['/backups/private', '/backups/public'],
    ['/backups', 's3://backups'],
  ])('may be %s beside %s', (BACKUP_TO, PUBLISH_TO) => {
    expect(readConfig({ BACKUP_TO, PUBLISH_TO })).toMatchObject({ BACKUP_TO, PUBLISH_TO })
  })

  it.each([
    ['s3://registry', 's3://registry'],
    ['s3://registry/', 's3://registry'],
    ['s3://registry/private', 's3://registry'],
    ['s3://registry', 's3://registry/public'],
    ['s3://registry//data/', 's3://registry/data'],
    ['/srv/data/private', '/srv/data'],
    ['/srv', '/srv/data'],
    ['/srv/data/../data', '/srv/data/'],
    ['backups', './backups/public'],
    ['/', '/srv/data'],
  ])('%s would show what is private where %s is published', (BACKUP_TO, PUBLISH_TO) => {
    expect(() => readConfig({ BACKUP_TO, PUBLISH_TO })).toThrow(
      'BACKUP_TO and PUBLISH_TO must not be inside one another: backups are private.',
    )
  })

  it.each(['/srv/registry/backups', '/srv/registry', '/srv'])(
    '%s would be lost with /srv/registry, or copy itself',
    BACKUP_TO => {
      const settings = { BACKUP_TO, DATA_DIR: '/srv/registry' }
      expect(() => readConfig(settings)).toThrow(
        'BACKUP_TO and DATA_DIR must not be inside one another',
      )
    },
  )
})

describe('AUTH_ISSUER', () => {
  const AUTH_JWKS_URL = 'https://issuer.example/jwks'
  const AUTH_ISSUER = 'https://issuer.example'

  it('requires the address of its keys and an audience', () => {
    expect(() => readConfig({ AUTH_ISSUER })).toThrow('requires AUTH_JWKS_URL')
    expect(() => readConfig({ AUTH_ISSUER, AUTH_JWKS_URL })).toThrow('requires AUTH_AUDIENCE or')
    const settings = { AUTH_ISSUER, AUTH_JWKS_URL, AUTH_CLIENT_ID: 'console' }
    expect(readConfig(settings)).toMatchObject(settings)
  })

  it.each(['http://issuer.example', 'https://issuer.example/?x', 'https://issuer.example/#x', 'x'])(
    'may not be %s',
    issuer => {
      const settings = { AUTH_ISSUER: issuer, AUTH_JWKS_URL, AUTH_AUDIENCE: 'x' }
      expect(() => readConfig(settings)).toThrow('AUTH_ISSUER')
    },
  )
})

describe('AGENT_LOOPBACK_WEBHOOKS', () => {
  const AGENT_LOOPBACK_WEBHOOKS = 'true'

  it('is off unless somebody asks for it', () => {
    expect(readConfig({}).AGENT_LOOPBACK_WEBHOOKS).toBe(false)
    expect(readConfig({ AGENT_LOOPBACK_WEBHOOKS }).AGENT_LOOPBACK_WEBHOOKS).toBe(true)
    const local = { HOST: '::1', AGENT_BASE_URL: 'http://[::1]:3100', AGENT_LOOPBACK_WEBHOOKS }
    expect(readConfig(local).AGENT_LOOPBACK_WEBHOOKS).toBe(true)
  })

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: 'agent.internal' },
    { BASE_URL: 'https://registry.example' },
    { AGENT_BASE_URL: 'https://agent.example' },
    { TRUSTED_PROXIES: '127.0.0.1' },
    { NODE_ENV: 'production' },
  ])('is refused where others reach the agent: %j', env => {
    expect(() => readConfig({ ...env, AGENT_LOOPBACK_WEBHOOKS })).toThrow(
      'AGENT_LOOPBACK_WEBHOOKS is for tests on one machine',
    )
  })
})
