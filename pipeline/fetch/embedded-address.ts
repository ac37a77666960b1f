import { isIP } from 'node:net'

/** Services that answer any name below theirs with the address that it contains. */
const WILDCARD = /\.(?:nip|sslip|xip)\.io$/

/** Names below which every name is this machine. */
const LOOPBACK = /(?:^|\.)(?:localtest|lvh)\.me$/

const DECIMAL = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})$/
const HEX = /(?:^|[.-])([0-9a-f]{8})$/

/**
 * Finds the address that a name of a public wildcard service stands for, such as `10.0.0.1.nip.io`, as that
 * service would answer. A test world without a name server answers in its place, so that such a name leads
 * nowhere else there than on the web.
 */
export function findEmbeddedAddress(host: string): string | undefined {
  if (LOOPBACK.test(host)) return '127.0.0.1'
  if (!WILDCARD.test(host)) return undefined
  const name = host.replace(WILDCARD, '')
  const v4 = DECIMAL.exec(name)?.slice(1).map(Number).join('.')
  if (v4 !== undefined && isIP(v4) === 4) return v4
  const hex = HEX.exec(name)?.[1]
  if (hex !== undefined) return [...Buffer.from(hex, 'hex')].join('.')
  // The labels of IPv6 addresses have dashes for colons.
  const v6 = name.slice(name.lastIndexOf('.') + 1).replaceAll('-', ':')
  return isIP(v6) === 6 ? v6 : undefined
}
