import { z } from 'zod'
import { SEALING_KEY } from './keys/sealing.ts'
import { type Limits, LimitsOverride, limits } from './limits.ts'
import { LOG_ORIGIN } from './log-origin.ts'
import { parseRedisAddress } from './settings/redis-address.ts'
import { findContradictions } from './settings/setting-contradictions.ts'
import {
  agentToken,
  cron,
  flag,
  hostUrl,
  httpUrl,
  isNameServer,
  issuerUrl,
  names,
  networks,
  place,
  share,
  tenantUrls,
  text,
  wholeNumber,
} from './settings/setting-kinds.ts'
import { signingProfiles } from './signing-profiles.ts'

interface Setting<Schema extends z.ZodType> {
  schema: Schema
  /** Meaning, for documents and messages. */
  means: string
  /** Default value, as documents show it. */
  shown: string
  /** True for a value that logs must not show. */
  secret: boolean
}

function defineSetting<Schema extends z.ZodType>(
  schema: Schema,
  means: string,
  { shown = '', secret = false } = {},
): Setting<Schema> {
  return { schema, means, shown, secret }
}

/** Every setting: read once at start from the environment variable of the same name. */
export const settings = {
  HOST: defineSetting(text.default('127.0.0.1'), 'address on which the API listens', {
    shown: '127.0.0.1',
  }),
  PORT: defineSetting(wholeNumber(0, 65_535).default(3000), 'port of the API', { shown: '3000' }),
  API_PROCESSES: defineSetting(
    wholeNumber(1, 64).default(1),
    'API processes that `start` runs on one port: with two, requests go on when one ends',
    { shown: '1' },
  ),
  OPERATOR_HOST: defineSetting(
    text.default('127.0.0.1'),
    'address on which the operator’s port listens; one that others reach requires OPERATOR_TOKEN',
    { shown: '127.0.0.1' },
  ),
  OPERATOR_PORT: defineSetting(
    wholeNumber(0, 65_535).optional(),
    'port for the operator: `/metrics`, `/healthz`, `/readyz`; `start` shows all its roles there, a role that runs alone listens only where this is set',
    { shown: 'PORT + 200 for start' },
  ),
  OPERATOR_TOKEN: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret that the operator’s port requires, as a bearer token or as the password of a browser; `/healthz` and `/readyz` do not',
    { secret: true },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    z.url({ protocol: /^https?$/ }).optional(),
    'OpenTelemetry collector that gets the traces of all roles (OTLP over HTTP, at `/v1/traces`)',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(
    z.coerce.number().min(0).max(1).default(1),
    'share of the traces that is exported, from 0 to 1: each file of a crawl is part of one',
    { shown: '1' },
  ),
  BASE_URL: defineSetting(
    hostUrl.optional(),
    'public address of the API: a host of its own, without a path; domains can point to the files it serves for them where this is https',
    { shown: 'http://HOST:PORT' },
  ),
  TRUSTED_PROXIES: defineSetting(
    names.pipe(networks),
    'addresses or networks (`10.0.0.0/8,::1`) of the proxies in front of the API: X-Forwarded-For is trusted only from these',
  ),
  DATA_DIR: defineSetting(text.default('data/var'), 'folder of all stores', { shown: 'data/var' }),
  REDIS_URL: defineSetting(
    z
      .string()
      .refine(text => parseRedisAddress(text) !== undefined, {
        error:
          'must be redis://HOST:PORT, unix://SOCKET, redis+sentinel://HOST:PORT,HOST:PORT/NAME or redis+cluster://HOST:PORT,HOST:PORT, with rediss for TLS',
      })
      .optional(),
    'Redis for jobs and limits: one server (`redis://`, `unix://`), sentinels (`redis+sentinel://HOST:PORT,HOST:PORT/NAME`) or a cluster (`redis+cluster://HOST:PORT,HOST:PORT`); by default `start` runs its own',
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
  SIGNING_PROFILE: defineSetting(
    z.enum(signingProfiles).default('3.1'),
    'profile of the protocol by which webhooks are signed, and by which the reference agent verifies requests: 3.2 wants `Signature` and `Content-Digest` in one encoding (base64url without padding) and the body always covered',
    { shown: '3.1' },
  ),
  LOG_LEVEL: defineSetting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    'lowest level that is logged',
    { shown: 'info' },
  ),
  CRAWL_CONNECT_TO: defineSetting(
    httpUrl.optional(),
    'send every outbound connection to this address instead; names are still resolved and checked (for test worlds)',
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
    'file with a private Ed25519 key (JWK), or several as a JWKS of which the first signs. Keys derived from it sign badges, webhooks (published at `/.well-known/jwks.json`) and the tokens of people who sign in here. Without it no badge is signed, no webhook is posted and nobody can sign in',
    { secret: true, shown: 'a key that `start` creates in DATA_DIR' },
  ),
  LOG_SIGNING_KEY: defineSetting(
    text.optional(),
    'file with a private Ed25519 key (JWK) that signs the tamper-evident log of all events (`/log/checkpoint`); the key is part of what others remember of the log, so it stays. Without it nothing is logged',
    { secret: true, shown: 'a key that `start` creates in DATA_DIR' },
  ),
  LOG_ORIGIN: defineSetting(
    z.string().regex(LOG_ORIGIN, 'must have no spaces and no +').optional(),
    'name of that log and of its key, such as registry.example/log; it stays even where the registry moves',
    { shown: 'BASE_URL without its scheme, and /log' },
  ),
  CREDENTIALS_KEY: defineSetting(
    z.string().regex(SEALING_KEY, 'must be 32 bytes in Base64').optional(),
    'key that encrypts the credentials with which agents are tested, 32 bytes in Base64 (`openssl rand -base64 32`); API and crawlers need it, and backups do not contain it; without it no credentials are accepted',
    { secret: true, shown: 'in the demo a key that `start` creates in DATA_DIR' },
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
    wholeNumber(1, 24).default(6),
    'hours until a file that has just changed is crawled again',
    { shown: '6' },
  ),
  HOST_CONCURRENCY: defineSetting(
    wholeNumber(1, 64).default(1),
    'connections to one host at a time',
    { shown: '1' },
  ),
  ADDRESS_CONCURRENCY: defineSetting(
    wholeNumber(1, 4096).default(64),
    'connections to one address at a time',
    {
      shown: '64',
    },
  ),
  CRAWL_CONCURRENCY: defineSetting(
    wholeNumber(1, 4096).default(128),
    'hosts that a crawler fetches from at a time',
    {
      shown: '128',
    },
  ),
  PUBLISH_EVERY: defineSetting(wholeNumber(1, 86_400).optional(), 'seconds between snapshots', {
    shown: '5; more where copies take longer than 0.5 s by their size, up to 900',
  }),
  BACKUP_TO: defineSetting(
    place.optional(),
    'folder or `s3://BUCKET/PREFIX` that gets backups of everything, also of what is private: with a Redis elsewhere, an indexer on another host takes over from them (docs/operating.md)',
    { shown: 'no backups are made' },
  ),
  BACKUP_EVERY: defineSetting(wholeNumber(1, 86_400).default(900), 'seconds between two backups', {
    shown: '900; sooner where much was answered since the last one',
  }),
  PUBLISH_TO: defineSetting(
    place.optional(),
    'folder in which everything public is published as files for replicas (`registry follow`), or `s3://BUCKET/PREFIX`, with endpoint, region and credentials in the environment as the AWS SDK takes them (docs/operating.md); the API serves them below `/data/`',
    { shown: 'nothing is published' },
  ),
  REPLICA_OF: defineSetting(
    text.optional(),
    'address of the registry of which DATA_DIR holds a replica; `registry follow` sets it for its API, which then refuses writes',
  ),
  REPLICA_KEY: defineSetting(
    z
      .string()
      .regex(/^[^\s+]+\+[0-9a-f]{8}\+\S+$/, 'must be the key of a log, as name+id+key')
      .optional(),
    'public key of the log of that registry, as `/log/key` has it and you know it from elsewhere; nothing that it has not signed is followed',
    { shown: 'the key that the replica sees first' },
  ),
  FRONTIER_MAX: defineSetting(
    wholeNumber(1, 100_000_000).default(2_000_000),
    'domains in the frontier at most',
    {
      shown: '2000000',
    },
  ),
  AUTH_ISSUER: defineSetting(
    issuerUrl.optional(),
    'identity provider whose user tokens (JWT) are accepted, exactly as their claim `iss` has it; without it the registry issues the tokens itself (`REGISTRY_SIGNING_KEYS`)',
  ),
  AUTH_JWKS_URL: defineSetting(
    httpUrl.optional(),
    'address of the identity provider’s public keys (JWKS); a crawler reads them at start, hourly, and when a token names an unknown key',
  ),
  AUTH_AUDIENCE: defineSetting(text.optional(), 'claim `aud` that a user token must have'),
  AUTH_CLIENT_ID: defineSetting(
    text.optional(),
    'claim `azp`, or else `client_id`, that a user token must have; AUTH_ISSUER requires this or AUTH_AUDIENCE',
  ),
  OPENID_ISSUER: defineSetting(
    issuerUrl.optional(),
    'OpenID provider at which people sign in instead of by links and passkeys, exactly as its metadata have it in `issuer`; its redirect address is BASE_URL with `/sign-in/return`',
  ),
  OPENID_CLIENT_ID: defineSetting(
    text.optional(),
    'id of the registry as an application of that provider; OPENID_ISSUER requires it',
  ),
  OPENID_CLIENT_SECRET: defineSetting(
    text.optional(),
    'secret of the registry there; without it the registry is a public client, by PKCE alone',
    { secret: true },
  ),
  OPENID_NAME: defineSetting(
    text.max(60).optional(),
    'what people call that provider, for the button “Continue with …”',
    { shown: 'its host' },
  ),
  SMTP_URL: defineSetting(
    z
      .string()
      .regex(
        /^smtps?:\/\/[^/\s]+\/?$/,
        'must be smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT',
      )
      .optional(),
    'mail server by which a crawler sends sign-in links; without it links are only written to the log, and only if BASE_URL is an address of this machine',
    { secret: true },
  ),
  MAIL_FROM: defineSetting(
    text.optional(),
    'sender of mails, such as `Registry <registry@example.org>`; SMTP_URL requires it',
  ),
  BILLING_WEBHOOK_SECRET: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret with which the billing provider signs its webhooks; without it they are refused',
    { secret: true },
  ),
  ENRICHMENT_URL: defineSetting(
    issuerUrl.optional(),
    'address of a service of brand data that is asked first, as `GET ENRICHMENT_URL?domain=acme.example`; it answers like `/api/brands/enrich`: `{"manifest": {"name": …}, "company": {…}}`, or 404 (docs/operating.md). It may be in a private network',
  ),
  ENRICHMENT_KEY: defineSetting(
    text.optional(),
    'credential for that service, sent as a bearer token to no other host',
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
    'base URL of the brand data provider, or of a service with the same API',
    { shown: 'https://api.brandfetch.io' },
  ),
  BRAKE_SHARE: defineSetting(
    share.default(0.02),
    'share of all grants and active properties that may be lost in a night before further losses are held back',
    { shown: '0.02' },
  ),
  BRAKE_FACTOR: defineSetting(
    wholeNumber(1, 1_000_000).default(5),
    'multiple of the usual nightly loss (mean of three to seven nights) that one night may reach',
    { shown: '5' },
  ),
  BRAKE_ROWS: defineSetting(
    wholeNumber(1, 1_000_000_000).default(200),
    'losses below this number of grants and properties in a night are never held back',
    { shown: '200' },
  ),
  BRAKE_PUBLISHERS: defineSetting(
    wholeNumber(1, 1_000_000_000).default(20),
    'losses of fewer publishers than this in a night are never held back',
    { shown: '20' },
  ),
  PROTECTED_NAMES: defineSetting(
    text.optional(),
    'file of domains, one a line: a new entry that looks like one of them, or contains its name, is refused or waits for review',
  ),
  PROTECTED_REACH: defineSetting(
    wholeNumber(0, 1_000_000_000).default(50),
    'reach from which brands of the registry with a brand.json of their own are protected like those of PROTECTED_NAMES: their active properties, the brands of their house and the publishers that grant their agents anything, together; 0 protects none',
    { shown: '50' },
  ),
  REQUIRE_OWNERSHIP_PROOF: defineSetting(
    flag('true'),
    'whether an organization must prove that it controls a domain before it can save an entry for it',
    { shown: 'true' },
  ),
  AGENT_PORT: defineSetting(wholeNumber(0, 65_535).optional(), 'port of the reference agent', {
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
    flag('false'),
    'whether the reference agent posts webhooks to addresses of this machine too (`http://127.0.0.1:…`); for tests, and refused where others reach the agent',
    { shown: 'false' },
  ),
  TEST_AGENT_TOKEN: defineSetting(
    agentToken.default('public-test-token'),
    'public credential of the reference agent: it protects nothing',
    { shown: 'public-test-token' },
  ),
  REFERENCE_AGENT_URL: defineSetting(
    httpUrl.optional(),
    'agent with which storyboards are compared, without the tenant’s part of the address; it may be in a private network',
    { shown: 'AGENT_BASE_URL' },
  ),
  REFERENCE_AGENT_TOKEN: defineSetting(
    agentToken.optional(),
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

/** Thrown with all faults of the environment in one message. */
export class ConfigError extends Error {}

/** Parses the settings from environment variables; an empty variable counts as absent. Throws a ConfigError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { schema }] of Object.entries(settings)) {
    const value = env[name] === '' ? undefined : env[name]
    const read = schema.safeParse(value)
    if (read.success) values[name] = read.data
    else faults.push(...read.error.issues.map(issue => describeFault(name, issue)))
  }
  faults.push(...findContradictions(values, env))
  if (faults.length > 0) throw new ConfigError(`Settings:\n${faults.join('\n')}`)
  return Object.freeze(values) as Config
}

function describeFault(name: string, issue: { path: PropertyKey[]; message: string }): string {
  return `  ${[name, ...issue.path.map(String)].join('.')}: ${issue.message}`
}
