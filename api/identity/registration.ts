import { parseUrl } from '../../pipeline/core/url.ts'
import { isObject } from '../../pipeline/parse/object-reader.ts'
import { clientAuthMethods, grantTypes, responseTypes, scopes } from '../auth/server-metadata.ts'
import { findForeignScheme } from './redirect-schemes.ts'

/** Metadata that an application asks for when it registers (RFC 7591 section 2). */
export type ClientMetadata = Record<string, unknown>

const NAME_CHARS_MAX = 200
const CONTACTS_MAX = 10

/** Chooses what is kept of each member; undefined keeps nothing of it. Members that are not here have no meaning. */
const members: Readonly<Record<string, (value: unknown, asked: ClientMetadata) => unknown>> = {
  redirect_uris: (value, { application_type }) => {
    const uris = [value].flat()
    const usable = uris.filter(uri => isUsableRedirect(uri, application_type === 'web'))
    // Where none is usable the library says what is wrong with them.
    return usable.length > 0 ? usable : uris
  },
  grant_types: value => chooseOffered(value, grantTypes),
  response_types: value => chooseOffered(value, responseTypes),
  scope: value => {
    const known = String(value)
      .split(' ')
      .filter(name => scopes.includes(name))
    return (known.length > 0 ? known : scopes).join(' ')
  },
  token_endpoint_auth_method: value =>
    isOffered(value, clientAuthMethods) ? value : clientAuthMethods[0],
  application_type: value => (value === 'web' || value === 'native' ? value : undefined),
  client_name: value => (typeof value === 'string' ? value.slice(0, NAME_CHARS_MAX) : undefined),
  contacts: value => [value].flat().filter(isEmail).slice(0, CONTACTS_MAX),
  client_uri: keepWebAddress,
  logo_uri: keepWebAddress,
  policy_uri: keepWebAddress,
  tos_uri: keepWebAddress,
}

/** Members of every application, also where it asks for none. Without the method it would be given a secret. */
const defaults = { scope: scopes.join(' '), token_endpoint_auth_method: clientAuthMethods[0] }

/**
 * Replaces what an application asks for by what the registry has of it, which the answer says (RFC 7591
 * section 3.2.1). It is refused only where nothing usable would be left: by the library, which checks the rest.
 */
export function chooseMetadata(asked: ClientMetadata): ClientMetadata {
  const chosenMembers = Object.entries(members).flatMap(([name, choose]) => {
    const value = Object.hasOwn(asked, name) ? asked[name] : undefined
    if (isNothing(value)) return []
    const chosen = choose(value, asked)
    return isNothing(chosen) ? [] : [[name, chosen] as const]
  })
  return { ...defaults, ...Object.fromEntries(chosenMembers) }
}

/** Replaces the members of a body in place. */
export function replaceMetadata(body: unknown): void {
  if (!isObject(body)) return
  const chosen = chooseMetadata(body)
  for (const name of Object.keys(body)) delete body[name]
  Object.assign(body, chosen)
}

/** Tells whether a member says nothing: some applications send null or an empty text for what they leave out. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || isEmptyList(value)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Keeps what is offered of a list; all of it where nothing is, so that the refusal says what is offered. */
function chooseOffered(value: unknown, offered: readonly string[]): unknown[] {
  const asked = [value].flat()
  const known = asked.filter(name => isOffered(name, offered))
  return known.length > 0 ? known : asked
}

function isOffered(value: unknown, offered: readonly string[]): boolean {
  return typeof value === 'string' && offered.includes(value)
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function isUsableRedirect(uri: unknown, isWeb: boolean): boolean {
  const url = typeof uri === 'string' ? parseUrl(uri) : undefined
  if (url === undefined) return false
  const { protocol, hostname, href } = url
  if (href.includes('#') || findForeignScheme([href]) !== undefined) return false
  if (isWeb) return protocol === 'https:' || protocol === 'http:'
  if (protocol === 'http:') return loopback.has(hostname)
  return protocol !== 'https:' || !loopback.has(hostname)
}

function isEmail(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*$/.test(value)
}

function keepWebAddress(value: unknown): unknown {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? value : undefined
}
