import { createHash } from 'node:crypto'
import { getAt, getFirst } from '../../pipeline/core/present.ts'
/**
 * Converts an address to the one that counts as a caller, without the port that some proxies append. For IPv6
 * that is the /64 network, since one machine usually has a whole /64.
 */
export function toCaller(ip: string): string {
  const behindPort = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[(.+)\](?::\d+)?$/.exec(ip)
  if (behindPort) return toCaller(behindPort[1] ?? getAt(behindPort, 2))
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = getFirst(ip.split('%')).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${all
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Characters of a stored hash: hundreds of addresses share them, so they lead back to none. */
const STORED_CHARS = 4

/** Hashes a caller for what is stored for long: enough to tell apart those who fill a store. */
export function hashCallerForLong(caller: string): string {
  return hashCaller(caller).slice(0, STORED_CHARS)
}

/** Hashes a caller for those who only have to tell callers apart: addresses of people are stored nowhere. */
export function hashCaller(caller: string): string {
  return createHash('sha256').update(caller).digest('base64url').slice(0, 16)
}
