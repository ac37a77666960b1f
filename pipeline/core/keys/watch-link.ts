import { createHmac, timingSafeEqual } from 'node:crypto'
import { getFirst } from '../present.ts'
import type { RegistryKeys } from './registry-keys.ts'

/** Subject of the link of a mail, which ends it: one watch, or all of a person whose news come once a day. */
export type WatchLink = { watch_id: string } | { daily_of: string }

type Secrets = Pick<RegistryKeys, 'deriveLinkSecrets'>

const TOKEN = /^([wd])\.([\w-]{1,500})\.([\w-]{43})$/

/** Builds the token of a link. It is valid until its watch ends, or the key is no longer among the settings. */
export function signWatchLink(keys: Secrets, link: WatchLink): string {
  const [kind, id] = 'watch_id' in link ? ['w', link.watch_id] : ['d', link.daily_of]
  const said = `${kind}.${Buffer.from(id).toString('base64url')}`
  const mac = computeMac(getFirst(keys.deriveLinkSecrets()), said)
  return `${said}.${mac.toString('base64url')}`
}

/** Reads the token of a link; undefined if it was not signed here. */
export function readWatchLink(keys: Secrets, token: string): WatchLink | undefined {
  const [, kind, encoded = '', mac = ''] = TOKEN.exec(token) ?? []
  const actual = Buffer.from(mac, 'base64url')
  const isSigned = keys
    .deriveLinkSecrets()
    .map(secret => computeMac(secret, `${kind}.${encoded}`))
    .some(expected => expected.length === actual.length && timingSafeEqual(expected, actual))
  if (kind === undefined || !isSigned) return undefined
  const id = Buffer.from(encoded, 'base64url').toString()
  return kind === 'w' ? { watch_id: id } : { daily_of: id }
}

function computeMac(secret: Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(`watch ${text}`).digest()
}
