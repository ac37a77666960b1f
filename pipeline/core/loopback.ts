import { z } from 'zod'

/**
 * Tells whether a host is an address of this machine, with or without the brackets of a URL. A name is
 * not an address.
 */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (z.ipv4().safeParse(address).success) return address.startsWith('127.')
  return z.ipv6().safeParse(address).success && new URL(`http://[${address}]`).hostname === '[::1]'
}
