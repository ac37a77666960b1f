import { z } from 'zod'
import { parseUrl } from '../url.ts'

const text = z.string().min(1)
const HOST_NAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+\.?$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i
const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/|$)/
const SCHEME = /^[a-z][a-z0-9+.-]+:/i
const WEB = /^https?:\/\//i
const MAILBOX = /^([^<>]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

/** An address of this machine, or a name of one, to listen on. */
export const host = text.refine(value => isAddress(value) || HOST_NAME.test(value), {
  error: 'must be an IP address such as 127.0.0.1 or ::1, or a host name, without a port',
})

/** A folder of this machine. */
export const folder = text.refine(isPath, { error: 'must be a folder' })

/** A file of this machine. */
export const file = text.refine(isPath, { error: 'must be the path of a file' })

/** A folder, or a place in object storage. */
export const place = text.refine(isPlace, { error: 'must be a folder or s3://BUCKET/PREFIX' })

/** A registry, by its address or by what it publishes. */
export const origin = text.refine(
  value => isPlace(value) || (WEB.test(value) && parseUrl(value) !== undefined),
  { error: 'must be a URL with http or https, a folder, or s3://BUCKET/PREFIX' },
)

/** A sender of mails, with or without a name. */
export const mailbox = text.refine(value => MAILBOX.test(value), {
  error: 'must be an email address, such as Registry <registry@example.org>',
})

/** Tells whether a text is an IP address; one of IPv6 may name its interface (`fe80::1%eth0`). */
function isAddress(value: string): boolean {
  const address = value.replace(/%[\w.-]+$/, '')
  return z.ipv6().safeParse(address).success || z.ipv4().safeParse(value).success
}

function isPath(value: string): boolean {
  return !SCHEME.test(value)
}

function isPlace(value: string): boolean {
  return isPath(value) || BUCKET.test(value)
}
