import { z } from 'zod'
import { buildJsonText } from '../json-text.ts'
import { SECRET_CHARS_MIN } from '../keys/sealing.ts'
import { parseUrl } from '../url.ts'

export const text = z.string().min(1)
export const agentToken = z
  .string()
  .min(SECRET_CHARS_MIN, `must have at least ${SECRET_CHARS_MIN} characters`)

/** Reads `true` or `false` as a boolean. */
export const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform(text => text === 'true')

export const wholeNumber = (min: number, max: number) =>
  text
    .refine(value => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)

/** A port to listen on. */
export const port = text
  .refine(value => /^\d+$/.test(value) && Number(value) < 65_536, {
    error: 'must be a whole number from 1 to 65535, or 0 for any free port',
  })
  .transform(Number)

/** A part of a whole. */
export const share = text
  .refine(value => /^(\d+\.?\d*|\.\d+)$/.test(value) && Number(value) <= 1, {
    error: 'must be a number from 0 to 1, such as 0.02',
  })
  .transform(Number)
export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be a URL with http or https',
})

/** A place where people answer. */
export const contact = z.url({
  protocol: /^(?:https|mailto)$/,
  error: 'must be a URL such as mailto:security@registry.example',
})

/** Address of a host: the pages and the protocol of sign-in name paths from its root. */
export const hostUrl = httpUrl.refine(isHostUrl, {
  error:
    'must be a host of its own, such as https://registry.example.org: without a path, query or credentials',
})

function isHostUrl(text: string): boolean {
  const url = parseUrl(text)
  return url !== undefined && url.href === `${url.origin}/`
}

/**
 * Plain http is allowed only for this machine: elsewhere an attacker on the network could answer with other
 * keys.
 */
export const issuerUrl = httpUrl.refine(isSafeIssuer, {
  error: 'must be a URL with https, without query and fragment',
})

function isSafeIssuer(text: string): boolean {
  const url = parseUrl(text)
  if (!url) return false
  const { protocol, hostname, search, hash } = url
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return (protocol === 'https:' || isLocal) && search === '' && hash === ''
}

/**
 * Tells whether a text is an IP address with an optional port (default 53); a v6 address with a port is in
 * brackets.
 */
export function isNameServer(text: string): boolean {
  if (z.ipv6().safeParse(text).success) return true
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isAddress = v6 ? z.ipv6().safeParse(v6).success : z.ipv4().safeParse(v4).success
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) < 65_536))
}

/** Texts separated by commas; empty by default. */
export const names = z
  .string()
  .default('')
  .transform(list => list.split(',').flatMap(item => item.trim() || []))

/** Folders and addresses with https, separated by commas. */
export const bundlePlaces = names.refine(list => list.every(isBundlePlace), {
  error: 'must be folders or URLs with https, separated by commas',
})

function isBundlePlace(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]+:/i.test(text) ? parseUrl(text) : undefined
  if (url === undefined) return !/^[a-z][a-z0-9+.-]+:/i.test(text)
  return url.protocol === 'https:' && url.username === '' && url.password === ''
}

/** IP addresses and CIDR networks. */
export const networks = names.refine(list => list.every(item => Network.safeParse(item).success), {
  error: 'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
})
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** JSON object of addresses by the name of the tenant. */
export const tenantUrls = buildJsonText().pipe(z.record(z.string(), httpUrl))
