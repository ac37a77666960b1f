import { z } from 'zod'
import { JsonText } from './json-text.ts'
import { type Limits, LimitsOverride, limits } from './limits.ts'
import { isLoopback } from './loopback.ts'
import { isCron } from './schedule.ts'
import { SEALING_KEY } from './sealing.ts'
import { parseUrl } from './url.ts'

interface Setting<Schema extends z.ZodType> {
  schema: Schema
  means: string
  shown: string
  secret: boolean
}

function defineSetting<Schema extends z.ZodType>(
  schema: Schema,
  means: string,
  { shown = '', secret = false } = {},
): Setting<Schema> {
  return { schema, means, shown, secret }
}

const text = z.string().min(1)
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
const share = z.coerce.number().min(0).max(1)
const cron = text.refine(isCron, { error: 'must be a cron pattern such as "0 3 * * *"' })
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

/** Plain http is allowed only for this machine: elsewhere an attacker on the network could answer with other keys. */
const issuerUrl = httpUrl.refine(isSafeIssuer, {
  error: 'must be an https URL without query and fragment',
})

function isSafeIssuer(text: string): boolean {
  const url = parseUrl(text)
  if (!url) return false
  const { protocol, hostname, search, hash } = url
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return (protocol === 'https:' || isHere) && search === '' && hash === ''
}

/**
 * Tells whether a text is an IP address with an optional port (default 53); a v6 address with a port is in
 * brackets.
 */
function isNameServer(text: string): boolean {
  if (z.ipv6().safeParse(text).success) return true
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isAddress = v6 ? z.ipv6().safeParse(v6).success : z.ipv4().safeParse(v4).success
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) < 65_536))
}

const networks = z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]), {
  error: 'must be addresses or networks such as 10.0.0.0/8, separated by commas',
})

const names = z
  .string()
  .default('')
  .transform(list => list.split(',').flatMap(item => item.trim() || []))

/** Addresses by the names of tenants. */
const tenantUrls = JsonText.pipe(z.record(z.string(), httpUrl))

/** Every setting: read once at start from the environment variable of the same name. */
export const settings = {
  HOST: defineSetting(text.default('127.0.0.1'), 'address on which the API listens', {
    shown: '127.0.0.1',
  }),
  PORT: defineSetting(whole(0, 65_535).default(3000), 'port of the API', { shown: '3000' }),
  API_PROCESSES: defineSetting(
    whole(1, 64).default(1),
    'API processes that `start` runs on one port: with two, requests go on when one ends',
    { shown: '1' },
  ),
  BASE_URL: defineSetting(
    httpUrl.optional(),
    'public address of the API, without a trailing slash; domains can point to the files it serves for them where this is https',
    { shown: 'http://HOST:PORT' },
  ),
  TRUSTED_PROXIES: defineSetting(
    z
      .string()
      .default('')
      .transform(list => list.split(',').flatMap(item => item.trim() || []))
      .pipe(networks),
    'addresses or networks (`10.0.0.0/8,::1`) of the proxies in front of the API: X-Forwarded-For is trusted only from these',
  ),
  DATA_DIR: defineSetting(text.default('data/var'), 'folder of all stores', { shown: 'data/var' }),
  REDIS_URL: defineSetting(
    z
      .string()
      .regex(/^(rediss?|unix):\/\//, 'must start with redis://, rediss:// or unix://')
      .optional(),
    'Redis for jobs and limits; by default `start` runs its own',
    { secret: true },
  ),
  PROTOCOL_NAME: defineSetting(
    z
      .string()
      .regex(/^[a-z][a-z0-9]*$/, 'must be lower-case letters and digits')
      .default('proto'),
    "the protocol's short name in identifiers; `adcp` for the live web",
    { shown: 'proto' },
  ),
  LOG_LEVEL: defineSetting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    'lowest level that is logged',
    { shown: 'info' },
  ),
  CRAWL_CONNECT_TO: defineSetting(
    httpUrl.optional(),
    'send every outbound connection here instead, names and checks unchanged (test worlds)',
  ),
  CRAWL_CA_FILE: defineSetting(
    text.optional(),
    'PEM file of an extra certificate authority to trust',
  ),
  DNS_SERVER: defineSetting(
    text
      .refine(isNameServer, { error: 'must be ADDRESS:PORT such as 127.0.0.1:53 or [::1]:53' })
      .optional(),
    'ADDRESS:PORT of a name server to use instead of the system’s; an address, not a name',
  ),
  CRAWL_CONTACT: defineSetting(
    httpUrl.default('https://github.com/agentic-ad-registry/agentic-ad-registry'),
    'page about the crawler, named in its User-Agent',
  ),
  CRAWL_SIGNING_KEY: defineSetting(
    text.optional(),
    'file with a private Ed25519 key (JWK): the crawler signs its requests (Web Bot Auth, RFC 9421) and the API serves the public key; needs BASE_URL',
    { secret: true },
  ),
  REGISTRY_SIGNING_KEYS: defineSetting(
    text.optional(),
    'file with a private Ed25519 key (JWK), or several as a JWKS of which the first signs: the registry signs badges and webhooks with keys derived from it, which `/.well-known/jwks.json` publishes; without it badges are not signed and no webhooks are posted',
    { secret: true, shown: 'a key that `start` creates in DATA_DIR' },
  ),
  CREDENTIALS_KEY: defineSetting(
    z.string().regex(SEALING_KEY, 'must be 32 bytes in Base64').optional(),
    'key that encrypts the credentials by which agents are tested, 32 bytes in Base64 (`openssl rand -base64 32`); API and crawlers need it, backups do not hold it; without it none are taken',
    { secret: true },
  ),
  ROBOTS: defineSetting(
    z.enum(['ignore', 'respect']).default('ignore'),
    'whether files that robots.txt disallows are skipped; well-known files are published for crawlers, so the default is to ignore it',
    { shown: 'ignore' },
  ),
  CRAWL_SCHEDULE: defineSetting(
    cron.default('0 3 * * *'),
    'when known files are due again (cron, UTC)',
    {
      shown: '0 3 * * *',
    },
  ),
  RECRAWL_HOURS: defineSetting(
    whole(1, 24).default(6),
    'hours until a file that has just changed is crawled again',
    { shown: '6' },
  ),
  HOST_CONCURRENCY: defineSetting(whole(1, 64).default(1), 'connections to one host at a time', {
    shown: '1',
  }),
  ADDRESS_CONCURRENCY: defineSetting(
    whole(1, 4096).default(64),
    'connections to one address at a time',
    {
      shown: '64',
    },
  ),
  CRAWL_CONCURRENCY: defineSetting(
    whole(1, 4096).default(128),
    'hosts that a crawler fetches from at a time',
    {
      shown: '128',
    },
  ),
  PUBLISH_EVERY: defineSetting(whole(1, 86_400).optional(), 'seconds between snapshots', {
    shown: '5; more where copies take longer than 0.5 s by their size, up to 900',
  }),
  FRONTIER_MAX: defineSetting(
    whole(1, 100_000_000).default(2_000_000),
    'domains in the frontier at most',
    {
      shown: '2000000',
    },
  ),
  AUTH_ISSUER: defineSetting(
    issuerUrl.optional(),
    'identity provider whose user tokens (JWT) are accepted, spelled as in their `iss`; without it only API keys are accepted',
  ),
  AUTH_JWKS_URL: defineSetting(
    httpUrl.optional(),
    'where it publishes its public keys; a crawler reads them, at start, hourly and when a token names an unknown one',
  ),
  AUTH_AUDIENCE: defineSetting(text.optional(), '`aud` that a token must have'),
  AUTH_CLIENT_ID: defineSetting(
    text.optional(),
    '`azp`, or else `client_id`, that a token must have; an issuer requires this or AUTH_AUDIENCE',
  ),
  BILLING_WEBHOOK_SECRET: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret with which the billing provider signs its events about memberships; without it none is accepted',
    { secret: true },
  ),
  BRANDFETCH_KEY: defineSetting(
    text.optional(),
    'API key of the brand data provider that is queried before home pages are read',
    { secret: true },
  ),
  BRANDFETCH_URL: defineSetting(
    z
      .url({ protocol: /^https$/, error: 'must be an https URL' })
      .default('https://api.brandfetch.io'),
    'where that provider answers, or another one that speaks as it does',
    { shown: 'https://api.brandfetch.io' },
  ),
  BRAKE_SHARE: defineSetting(
    share.default(0.02),
    'share of all grants and active properties that may be lost in a night before further losses are held back',
    { shown: '0.02' },
  ),
  BRAKE_FACTOR: defineSetting(
    whole(1, 1_000_000).default(5),
    'multiple of the usual nightly loss (mean of three to seven nights) that one night may reach',
    { shown: '5' },
  ),
  BRAKE_ROWS: defineSetting(
    whole(1, 1_000_000_000).default(200),
    'losses below this number of grants and properties in a night are never held back',
    { shown: '200' },
  ),
  BRAKE_PUBLISHERS: defineSetting(
    whole(1, 1_000_000_000).default(20),
    'losses of fewer publishers than this in a night are never held back',
    { shown: '20' },
  ),
  PROTECTED_NAMES: defineSetting(
    text.optional(),
    'file of domains, one a line: a new entry that looks like one of them, or contains its name, is refused or waits for review',
  ),
  REQUIRE_OWNERSHIP_PROOF: defineSetting(
    z
      .enum(['true', 'false'])
      .default('true')
      .transform(text => text === 'true'),
    'whether an organization must prove that it controls a domain before it can save an entry for it',
    { shown: 'true' },
  ),
  AGENT_PORT: defineSetting(whole(0, 65_535).optional(), 'port of the reference agent', {
    shown: 'PORT + 100',
  }),
  AGENT_BASE_URL: defineSetting(
    httpUrl.optional(),
    'public address of the reference agent, without a trailing slash',
    { shown: 'http://HOST:AGENT_PORT' },
  ),
  AGENT_URLS: defineSetting(
    tenantUrls.default({}),
    'JSON of the public addresses of the reference agent’s tenants with an address of their own, such as `{"sales": "https://sales.example/mcp"}`',
    { shown: '{}' },
  ),
  AGENT_SIGNED_TASKS: defineSetting(
    names,
    'tasks of the reference agent whose requests must be signed (RFC 9421), separated by commas; for others a signature is optional',
  ),
  AGENT_SIGNER_KEYS: defineSetting(
    text.optional(),
    'file with a JWKS of keys that may sign requests to the reference agent for every operator; other keys are looked up in the operator’s brand.json',
  ),
  AGENT_REVOKED_KEYS: defineSetting(
    names,
    'ids of keys that may no longer sign requests to the reference agent, separated by commas',
  ),
  AGENT_LOOPBACK_WEBHOOKS: defineSetting(
    z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true'),
    'whether the reference agent posts webhooks to addresses of this machine too (`http://127.0.0.1:…`); for tests, and refused where others reach the agent',
    { shown: 'false' },
  ),
  TEST_AGENT_TOKEN: defineSetting(
    z.string().min(8, 'must have at least 8 characters').default('public-test-token'),
    'public credential of the reference agent: it protects nothing',
    { shown: 'public-test-token' },
  ),
  REFERENCE_AGENT_URL: defineSetting(
    httpUrl.optional(),
    'agent with which storyboards are compared, without the tenant’s part of the address; it may be in a private network',
    { shown: 'AGENT_BASE_URL' },
  ),
  REFERENCE_AGENT_TOKEN: defineSetting(
    text.optional(),
    'credential of the agent at REFERENCE_AGENT_URL, sent to no other agent',
    { secret: true, shown: 'TEST_AGENT_TOKEN' },
  ),
  LIMITS: defineSetting(LimitsOverride.default(limits as Limits), 'JSON of limits to override', {
    shown: '{}',
  }),
}

export type Config = Readonly<{
  [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']>
}>

/** All faults of the environment in one message. */
export class ConfigError extends Error {}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { schema }] of Object.entries(settings)) {
    const value = env[name] === '' ? undefined : env[name]
    const read = schema.safeParse(value)
    if (read.success) values[name] = read.data
    else faults.push(...read.error.issues.map(issue => describeFault(name, issue)))
  }
  if (values.CRAWL_SIGNING_KEY && !values.BASE_URL)
    faults.push('  CRAWL_SIGNING_KEY: requires BASE_URL, where sites find the public key')
  if (values.AUTH_ISSUER && !values.AUTH_JWKS_URL)
    faults.push('  AUTH_ISSUER: requires AUTH_JWKS_URL, where its keys are')
  if (values.AUTH_ISSUER && !values.AUTH_AUDIENCE && !values.AUTH_CLIENT_ID)
    faults.push(
      '  AUTH_ISSUER: requires AUTH_AUDIENCE or AUTH_CLIENT_ID, or tokens for others would be accepted',
    )
  if (values.AGENT_LOOPBACK_WEBHOOKS && isReachedByOthers(values as Config, env))
    faults.push(
      '  AGENT_LOOPBACK_WEBHOOKS: is for tests on one machine; here others reach the agent, or NODE_ENV is production',
    )
  if (faults.length > 0) throw new ConfigError(`Settings:\n${faults.join('\n')}`)
  return Object.freeze(values) as Config
}

/** Tells if callers of other machines may reach this one: by its address, a public one, or a proxy. */
function isReachedByOthers(
  { HOST, BASE_URL, AGENT_BASE_URL, TRUSTED_PROXIES = [] }: Partial<Config>,
  { NODE_ENV }: Readonly<Record<string, string | undefined>>,
): boolean {
  const addresses = [BASE_URL, AGENT_BASE_URL].flatMap(url => (url ? [new URL(url).hostname] : []))
  const areLocal = [HOST ?? '', ...addresses].every(host => isThisMachine(host))
  return !areLocal || TRUSTED_PROXIES.length > 0 || NODE_ENV === 'production'
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}

function describeFault(name: string, issue: { path: PropertyKey[]; message: string }): string {
  return `  ${[name, ...issue.path.map(String)].join('.')}: ${issue.message}`
}
