import { z } from 'zod'

/** Tells whether a host is an address of this machine, as a URL writes it or without brackets. A name is none. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (z.ipv4().safeParse(address).success) return address.startsWith('127.')
  return z.ipv6().safeParse(address).success && new URL(`http://[${address}]`).hostname === '[::1]'
}
