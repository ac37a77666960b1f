import { z } from 'zod'
import { signingProfiles } from '../signing-profiles.ts'
import { defineSetting } from './define-setting.ts'
import { folder, host } from './place-kinds.ts'
import { parseRedisAddress } from './redis-address.ts'
import {
  contact,
  flag,
  hostUrl,
  httpUrl,
  networks,
  port,
  share,
  wholeNumber,
} from './setting-kinds.ts'

/** Settings of where the registry runs and who reaches it. */
export const serverSettings = {
  HOST: defineSetting(
    host.default('127.0.0.1'),
    'IP address or host name on which the API listens',
    {
      shown: '127.0.0.1',
    },
  ),
  PORT: defineSetting(port.default(3000), 'port of the API', { shown: '3000' }),
  API_PROCESSES: defineSetting(
    wholeNumber(1, 64).default(1),
    'API processes that `start` runs on one port. With two or more, requests continue if one ends',
    { shown: '1' },
  ),
  SECURITY_CONTACT: defineSetting(
    contact.optional(),
    'where to report vulnerabilities of this registry, as `mailto:` or `https://` for `/.well-known/security.txt`',
    { shown: 'there is no security.txt' },
  ),
  DEMO: defineSetting(
    flag('false'),
    'whether the home page says that all domains are invented; `start` sets it for the demo internet',
    { shown: 'false' },
  ),
  OPERATOR_HOST: defineSetting(
    host.default('127.0.0.1'),
    'IP address or host name on which the operator’s port listens. If others can reach it, OPERATOR_TOKEN is required',
    { shown: '127.0.0.1' },
  ),
  OPERATOR_PORT: defineSetting(
    port.optional(),
    'port for the operator: `/metrics`, `/healthz`, `/readyz`. `start` shows all its roles there. A role that runs alone listens only if this is set',
    { shown: 'PORT + 100 for start' },
  ),
  OPERATOR_TOKEN: defineSetting(
    z.string().min(16, 'must have at least 16 characters').optional(),
    'secret of at least 16 characters for the operator’s port: send it as a bearer token, or enter it as the password in a browser. `/healthz` and `/readyz` do not require it',
    { secret: true },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    httpUrl.optional(),
    'OpenTelemetry collector that receives the traces of all roles (OTLP over HTTP, at `/v1/traces`)',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(
    share.default(1),
    'share of traces to export, from 0 to 1. Each crawled file belongs to a trace',
    { shown: '1' },
  ),
  BASE_URL: defineSetting(
    hostUrl.optional(),
    'public URL of the API: its own host, without a path. If it is https, domains can point to the files that the registry hosts for them',
    { shown: 'http://HOST:PORT' },
  ),
  SHARED_CACHE_S: defineSetting(
    wholeNumber(0, 3_600).default(0),
    'seconds for which a cache in front of the API may reuse a public lookup, and for which it may serve that lookup stale while it revalidates. With 0, it revalidates each time',
    { shown: '0' },
  ),
  PURGE_URL: defineSetting(
    httpUrl.optional(),
    'URL of that cache. After a commit, the indexer sends it a `PURGE` request with the keys of the outdated responses in `Surrogate-Key` (docs/operate/scale.md)',
    { shown: 'none: responses expire' },
  ),
  TRUSTED_PROXIES: defineSetting(
    networks,
    'IP addresses or networks (`10.0.0.0/8,::1`) of the proxies in front of the API. X-Forwarded-For is trusted only from these',
  ),
  DATA_DIR: defineSetting(folder.default('data/var'), 'folder for all stores', {
    shown: 'data/var',
  }),
  REDIS_URL: defineSetting(
    z
      .string()
      .refine(text => parseRedisAddress(text) !== undefined, {
        error:
          'must be redis://HOST:PORT, unix://SOCKET, redis+sentinel://HOST:PORT,HOST:PORT/NAME or redis+cluster://HOST:PORT,HOST:PORT, with rediss for TLS',
      })
      .optional(),
    'Redis for jobs and limits: one server (`redis://`, `unix://`), sentinels (`redis+sentinel://HOST:PORT,HOST:PORT/NAME`) or a cluster (`redis+cluster://HOST:PORT,HOST:PORT`). By default `start` runs its own',
    { secret: true },
  ),
  PROTOCOL_NAME: defineSetting(
    z
      .string()
      .regex(/^[a-z][a-z0-9]*$/, 'must be lowercase letters and digits')
      .default('proto'),
    'the protocol’s short name in identifiers; `adcp` for the live web',
    { shown: 'proto' },
  ),
  SIGNING_PROFILE: defineSetting(
    z.enum(signingProfiles).default('3.1'),
    'version of the protocol’s signing profile, used to sign webhooks and to verify requests to the reference agent. 3.2 requires `Signature` and `Content-Digest` in base64url without padding, and a signature that covers the body',
    { shown: '3.1' },
  ),
  LOG_LEVEL: defineSetting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    'lowest level to log',
    { shown: 'info' },
  ),
}
