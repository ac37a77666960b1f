import type { Part } from './part.ts'

const URL_CHARS = 2_048

/**
 * The https address of another file, in the one spelling under which that file is fetched and
 * shared. Undefined, with an error, for anything that is not one or carries a user name.
 */
export function readLocation(part: Part, key: string): string | undefined {
  const written = part.text(key, URL_CHARS)
  if (written === undefined) return undefined
  const fault = faultOf(written)
  if (fault !== undefined) {
    part.error(key, fault)
    return undefined
  }
  const url = new URL(written)
  url.hash = ''
  return url.href
}

function faultOf(written: string): string | undefined {
  if (!URL.canParse(written)) return 'must be an address such as https://acme.example/file.json'
  const url = new URL(written)
  if (url.protocol !== 'https:') return 'must start with https://'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (url.port !== '') return 'must use the default port of https'
  return url.href.length > URL_CHARS ? `is longer than ${URL_CHARS} characters` : undefined
}
