import { describe, expect, it } from 'vitest'
import { readConfig, settings } from '../../../../pipeline/core/config.ts'

const ADDRESS = 'must be a URL with http or https; it is "registry.example".'
const TRUE_OR_FALSE = 'must be true or false; it is "yes".'
const from = (min: number, max: number, bad: string) =>
  `must be a whole number from ${min} to ${max}; it is "${bad}".`
const PORT = 'must be a whole number from 1 to 65535, or 0 for any free port; it is "abc".'

/** A wrong value of each setting, and what is said of it; null for a setting that takes any text. */
const wrong: Record<keyof typeof settings, [bad: string, sentence: string] | null> = {
  STORYBOARDS: [
    'http://bundles.example/3.1.tgz',
    'must be folders or URLs with https, separated by commas; it is "http://bundles.example/3.1.tgz".',
  ],
  HOST: [
    '127.0.0.1:3000',
    'must be an IP address such as 127.0.0.1 or ::1, or a host name, without a port; it is "127.0.0.1:3000".',
  ],
  PORT: ['abc', PORT],
  DATA_LICENSE: null,
  SECURITY_CONTACT: [
    'security@registry.example',
    'must be a URL such as mailto:security@registry.example; it is "security@registry.example".',
  ],
  SHARED_CACHE_S: ['3601', from(0, 3_600, '3601')],
  PURGE_URL: ['registry.example', ADDRESS],
  API_PROCESSES: ['0', from(1, 64, '0')],
  DEMO: ['yes', TRUE_OR_FALSE],
  OPERATOR_HOST: [
    '300.0.0.1',
    'must be an IP address such as 127.0.0.1 or ::1, or a host name, without a port; it is "300.0.0.1".',
  ],
  OPERATOR_PORT: ['abc', PORT],
  OPERATOR_TOKEN: ['short secret', 'must have at least 16 characters.'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['registry.example', ADDRESS],
  OTEL_TRACES_SAMPLER_ARG: ['10%', 'must be a number from 0 to 1, such as 0.02; it is "10%".'],
  BASE_URL: ['registry.example', ADDRESS],
  TRUSTED_PROXIES: [
    'proxy.example',
    'must be IP addresses or networks such as 10.0.0.0/8, separated by commas; it is "proxy.example".',
  ],
  DATA_DIR: ['s3://bucket', 'must be a folder; it is "s3://bucket".'],
  REDIS_URL: [
    'http://user:secret@redis',
    'must be redis://HOST:PORT, unix://SOCKET, redis+sentinel://HOST:PORT,HOST:PORT/NAME or ' +
      'redis+cluster://HOST:PORT,HOST:PORT, with rediss for TLS.',
  ],
  PROTOCOL_NAME: ['AdCP', 'must be lowercase letters and digits; it is "AdCP".'],
  SIGNING_PROFILE: ['3', 'must be 3.1 or 3.2; it is "3".'],
  LOG_LEVEL: [
    'verbose',
    'must be one of fatal, error, warn, info, debug, or silent; it is "verbose".',
  ],
  CRAWL_CONNECT_TO: ['registry.example', ADDRESS],
  CRAWL_CA_FILE: [
    'https://a.example/ca.pem',
    'must be the path of a file; it is "https://a.example/ca.pem".',
  ],
  DNS_SERVER: [
    'dns.example',
    'must be ADDRESS:PORT such as 127.0.0.1:53 or [::1]:53; it is "dns.example".',
  ],
  CRAWL_CONTACT: ['registry.example', ADDRESS],
  CRAWL_SIGNING_KEY: ['data:x', 'must be the path of a file.'],
  ROBOTS: ['yes', 'must be ignore or respect; it is "yes".'],
  CRAWL_SCHEDULE: ['at night', 'must be a cron pattern such as "0 3 * * *"; it is "at night".'],
  RECRAWL_HOURS: ['25', from(1, 24, '25')],
  HOST_CONCURRENCY: ['1.5', from(1, 64, '1.5')],
  ADDRESS_CONCURRENCY: ['-1', from(1, 4096, '-1')],
  CRAWL_CONCURRENCY: ['1e3', from(1, 4096, '1e3')],
  FRONTIER_MAX: ['2 million', from(1, 100_000_000, '2 million')],
  REGISTRY_SIGNING_KEYS: ['vault://key', 'must be the path of a file.'],
  LOG_SIGNING_KEY: ['vault://key', 'must be the path of a file.'],
  LOG_ORIGIN: ['a log', 'must have no spaces and no +; it is "a log".'],
  CREDENTIALS_KEY: ['secret', 'must be 32 bytes in Base64 (openssl rand -base64 32).'],
  RELEASES_KEPT: ['1', from(2, 3_660, '1')],
  PUBLISH_EVERY: ['0', from(1, 86_400, '0')],
  BACKUP_TO: ['s3://Upper', 'must be a folder or s3://BUCKET/PREFIX; it is "s3://Upper".'],
  BACKUP_EVERY: ['1d', from(1, 86_400, '1d')],
  PUBLISH_TO: [
    'ftp://me:secret@a.example',
    'must be a folder or s3://BUCKET/PREFIX; it is "ftp://…@a.example".',
  ],
  REPLICA_OF: [
    'ftp://a.example',
    'must be a URL with http or https, a folder, or s3://BUCKET/PREFIX; it is "ftp://a.example".',
  ],
  REPLICA_KEY: ['key', 'must be the key of a log, as name+id+key; it is "key".'],
  AUTH_ISSUER: [
    'http://user:secret@issuer.example',
    'must be a URL with https, without query and fragment; it is "http://…@issuer.example".',
  ],
  AUTH_JWKS_URL: ['registry.example', ADDRESS],
  AUTH_AUDIENCE: null,
  AUTH_CLIENT_ID: null,
  OPENID_ISSUER: [
    'https://issuer.example?x',
    'must be a URL with https, without query and fragment; it is "https://issuer.example?x".',
  ],
  OPENID_CLIENT_ID: null,
  OPENID_CLIENT_SECRET: null,
  OPENID_NAME: ['x'.repeat(70), `must be at most 60 characters; it is "${'x'.repeat(60)}…".`],
  SMTP_URL: ['mail.example', 'must be smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT.'],
  MAIL_FROM: [
    'Registry',
    'must be an email address, such as Registry <registry@example.org>; it is "Registry".',
  ],
  BILLING_WEBHOOK_SECRET: ['short secret', 'must have at least 16 characters.'],
  ENRICHMENT_URL: ['registry.example', ADDRESS],
  ENRICHMENT_KEY: null,
  BRANDFETCH_KEY: null,
  BRANDFETCH_URL: [
    'http://registry.example',
    'must be a URL with https; it is "http://registry.example".',
  ],
  BRAKE_SHARE: ['2', 'must be a number from 0 to 1, such as 0.02; it is "2".'],
  BRAKE_FACTOR: ['x', from(1, 1_000_000, 'x')],
  BRAKE_ROWS: ['x', from(1, 1_000_000_000, 'x')],
  BRAKE_PUBLISHERS: ['x', from(1, 1_000_000_000, 'x')],
  PROTECTED_NAMES: [
    'https://a.example/names',
    'must be the path of a file; it is "https://a.example/names".',
  ],
  PROTECTED_REACH: ['x', from(0, 1_000_000_000, 'x')],
  REQUIRE_OWNERSHIP_PROOF: ['yes', TRUE_OR_FALSE],
  AGENT_PORT: ['abc', PORT],
  AGENT_BASE_URL: ['registry.example', ADDRESS],
  AGENT_URLS: ['sales', 'must be JSON; it is "sales".'],
  AGENT_SIGNED_TASKS: null,
  AGENT_SIGNER_KEYS: [
    'https://a.example/jwks',
    'must be the path of a file; it is "https://a.example/jwks".',
  ],
  AGENT_REVOKED_KEYS: null,
  AGENT_LOOPBACK_WEBHOOKS: ['yes', TRUE_OR_FALSE],
  TEST_AGENT_TOKEN: ['short', 'must have at least 8 characters; it is "short".'],
  REFERENCE_AGENT_URL: ['registry.example', ADDRESS],
  REFERENCE_AGENT_TOKEN: ['short', 'must have at least 8 characters.'],
  LIMITS: [
    'savesPerHour=1',
    'must be JSON, such as {"savesPerHour": 120}; it is "savesPerHour=1".',
  ],
}

/** Reads settings, and returns what is said of them. */
function listFaults(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

const cases = Object.entries(wrong)

describe('a wrong value is told in a sentence', () => {
  it.each(cases.flatMap(([name, told]) => (told ? [[name, ...told] as const] : [])))(
    '%s=%s',
    (name, bad, sentence) => {
      expect(listFaults({ [name]: bad })).toContain(`${name} ${sentence}`)
    },
  )

  it('once for each setting, in one message', () => {
    const faults = listFaults({ PORT: '-1.5', BRAKE_SHARE: 'x', LOG_LEVEL: 'loud' })
    expect(faults.map(fault => fault.split(' ', 1)[0])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'BRAKE_SHARE',
    ])
  })

  it.each([
    [
      'AGENT_URLS',
      '{"sales": "x"}',
      'sales in AGENT_URLS must be a URL with http or https; it is "x".',
    ],
    ['AGENT_URLS', '[]', 'AGENT_URLS must be an object; it is "[]".'],
    [
      'LIMITS',
      '{"savesPerHour": "x"}',
      'savesPerHour in LIMITS must be a whole number from 0; it is "x".',
    ],
    [
      'LIMITS',
      '{"savesPerHour": -1}',
      'savesPerHour in LIMITS must be a whole number from 0; it is -1.',
    ],
    [
      'LIMITS',
      '{"savePerHour": 1}',
      'LIMITS has no limit savePerHour; the nearest is savesPerHour.',
    ],
    ['LIMITS', '{"cats": 1}', 'LIMITS has no limit cats: docs/settings.md lists all limits.'],
  ])('%s=%s', (name, bad, sentence) => {
    expect(listFaults({ [name]: bad })).toEqual([sentence])
  })
})

describe('a secret is not repeated', () => {
  const secrets = Object.entries(settings).filter(([, { secret }]) => secret)
  it.each(secrets.map(([name]) => name))('%s', name => {
    const bad = wrong[name as keyof typeof settings]?.[0]
    for (const fault of bad ? listFaults({ [name]: bad }) : []) expect(fault).not.toContain(bad)
  })
})

describe('a place is a host, a folder or a bucket', () => {
  it.each(['0.0.0.0', '::', 'fe80::1%eth0', 'localhost', 'web-1', 'registry_api', 'a.example.'])(
    'HOST=%s is accepted',
    HOST => {
      expect(listFaults({ HOST })).toEqual([])
    },
  )

  it.each(['http://a.example', 'a b', '1.2.3', '[::1]', '-a', 'a..b', '*', 'a/b'])(
    'HOST=%s is refused',
    HOST => {
      expect(listFaults({ HOST })).toHaveLength(1)
    },
  )

  it.each(['/srv/files', './files', 'a b:c', 's3://bucket/prefix', 's3://bucket'])(
    'PUBLISH_TO=%s is accepted',
    PUBLISH_TO => {
      expect(listFaults({ PUBLISH_TO })).toEqual([])
    },
  )

  it.each([
    'ftp://a.example',
    'file:///srv',
    'S3://bucket',
    's3:bucket',
    'gs://bucket',
    'https://a',
  ])('PUBLISH_TO=%s is refused', PUBLISH_TO => {
    expect(listFaults({ PUBLISH_TO })).toHaveLength(1)
  })

  it.each(['a@b.example', 'Registry <a@b.example>', '"A, B" <a@b.example>'])(
    'MAIL_FROM=%s is accepted',
    MAIL_FROM => {
      expect(listFaults({ MAIL_FROM })).toEqual([])
    },
  )
})

const isEmpty = (value: object | null) => JSON.stringify(value ?? []).length === 2

it('a setting that has a default says which', () => {
  const silent = Object.entries(settings).filter(([, { schema, shown }]) => {
    const { success, data } = schema.safeParse(undefined)
    const isNothing = data === undefined || (typeof data === 'object' && isEmpty(data))
    return success && !isNothing && shown === ''
  })
  expect(silent.map(([name]) => name)).toEqual([])
})
