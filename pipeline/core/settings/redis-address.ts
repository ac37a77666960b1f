import { getFirst } from '../present.ts'
/** A server that listens on TCP. */
export interface Host {
  host: string
  port: number
}

/** Credentials of a connection; TLS where `tls` is given. */
export interface Login {
  username?: string
  password?: string
  tls?: object
}

/** The servers of one Redis. */
export type RedisAddress =
  | { kind: 'socket'; path: string }
  | { kind: 'server'; server: Host; db: number; login: Login }
  /** A primary that sentinels elect and name: after a failure it is another server. */
  | {
      kind: 'sentinel'
      sentinels: Host[]
      sentinelPassword?: string
      name: string
      db: number
      login: Login
    }
  | { kind: 'cluster'; nodes: Host[]; login: Login }

const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379
const ADDRESS =
  /^redis(?<tls>s)?(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^@/?#]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/
const HOST = /^(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/i

/**
 * Parses the address of Redis: `unix://SOCKET`, `redis://[USER:PASSWORD@]HOST[:PORT][/DB]`,
 * `redis+sentinel://[USER:PASSWORD@]HOST:PORT,HOST:PORT/NAME[/DB]` or
 * `redis+cluster://[USER:PASSWORD@]HOST:PORT,HOST:PORT`; `rediss` in place of `redis` for TLS.
 * Sentinels that want a password get that of `?sentinel_password=`. Undefined for anything else.
 */
export function parseRedisAddress(url: string): RedisAddress | undefined {
  if (url.startsWith('unix://')) return { kind: 'socket', path: url.slice('unix://'.length) }
  const parts = ADDRESS.exec(url)?.groups
  if (parts === undefined) return undefined
  try {
    return readAddress(parts)
  } catch {
    // A percent sign that decodes to nothing.
    return undefined
  }
}

function readAddress(parts: Record<string, string | undefined>): RedisAddress | undefined {
  const login = readLogin(parts)
  const path = (parts.path ?? '').split('/').filter(part => part !== '')
  const hosts = readHosts(parts.hosts ?? '', parts.kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT)
  if (hosts === undefined) return undefined
  if (parts.kind === 'cluster')
    return path.length === 0 ? { kind: 'cluster', nodes: hosts, login } : undefined
  const name = parts.kind === 'sentinel' ? (path.shift() ?? '') : undefined
  const db = Number(path[0] ?? 0)
  if (!Number.isInteger(db) || db < 0 || path.length > 1 || name === '') return undefined
  if (name === undefined)
    return hosts.length === 1 ? { kind: 'server', server: getFirst(hosts), db, login } : undefined
  const sentinelPassword = new URLSearchParams(parts.query).get('sentinel_password')
  return {
    kind: 'sentinel',
    sentinels: hosts,
    ...(sentinelPassword !== null && { sentinelPassword }),
    name: decodeURIComponent(name),
    db,
    login,
  }
}

function readLogin({ user, password, tls }: Record<string, string | undefined>): Login {
  return {
    ...(user ? { username: decodeURIComponent(user) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(tls ? { tls: {} } : {}),
  }
}

/** Reads `HOST:PORT,HOST:PORT`; an empty text is this machine. Undefined where a part is no host. */
function readHosts(text: string, defaultPort: number): Host[] | undefined {
  if (text === '') return [{ host: '127.0.0.1', port: defaultPort }]
  const hosts = text.split(',').map(part => {
    const { host, port } = HOST.exec(part)?.groups ?? {}
    return { host: host?.replace(/^\[|\]$/g, '') ?? '', port: Number(port ?? defaultPort) }
  })
  return hosts.every(({ host, port }) => host !== '' && port > 0 && port < 65_536)
    ? hosts
    : undefined
}
