import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import { z } from 'zod'

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "plain ASCII"
const ASCII = /^[\x00-\x7f]*$/
/** The lookbehind tries a run only from its beginning; trying each of its characters would take quadratic time. */
const LAST_SLASHES_AND_DOTS = /(?<![/.])[/.]+$/

/** Converts a domain to the form in which it is stored and compared: trimmed, lower case, A-labels. */
export function toAscii(text: string): string {
  const lower = text.trim().toLowerCase()
  return ASCII.test(lower) ? lower : domainToASCII(lower)
}

/**
 * A host name as the registry knows it: at least two labels, A-labels, at most 253 characters, no
 * scheme, port, path or trailing dot. Digits are allowed in the last label, an all-digit one is not
 * (that is an address).
 */
export const Domain = z
  .string()
  .overwrite(toAscii)
  .refine(text => HOST_NAME.test(text), { error: 'must be a domain name such as acme.example' })
  .brand('Domain')
  .meta({ id: 'Domain', description: 'A domain name', examples: ['acme.example'] })

export type Domain = z.infer<typeof Domain>

export function parseDomain(text: unknown): Domain | undefined {
  if (typeof text !== 'string') return undefined
  const ascii = toAscii(text)
  return HOST_NAME.test(ascii) ? (ascii as Domain) : undefined
}

/**
 * Parses a domain as people paste it: a scheme, a trailing dot and everything from the first slash on are
 * dropped.
 */
export function parsePastedDomain(text: string): Domain | undefined {
  return parseDomain(text) ?? parseDomain(extractHost(text))
}

/** Returns a domain without its `www.`; undefined for one that has none. */
export function stripWww(domain: string): Domain | undefined {
  return domain.startsWith('www.') ? parseDomain(domain.slice('www.'.length)) : undefined
}

function extractHost(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/[.。．｡]$/, '')
}

/**
 * Parses a publisher domain as documents write it: scheme and trailing slashes and dots are tolerated;
 * `www.` is part of the name and stays.
 */
export function parsePublisherDomain(text: unknown): Domain | undefined {
  if (typeof text !== 'string') return undefined
  return parseDomain(
    text
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(LAST_SLASHES_AND_DOTS, ''),
  )
}

/** Returns the registrable domain by the public suffix list, private section included. */
export function getRegistrableDomain(domain: string): string | undefined {
  return getDomain(domain, { allowPrivateDomains: true, extractHostname: false }) ?? undefined
}

/** Tells whether anybody registers domains at this one, as at `co.uk`; one whose names a company gives out is none. */
export function isRegistrySuffix(domain: string): boolean {
  return getDomain(domain, { allowPrivateDomains: false, extractHostname: false }) === null
}

export function isSameSite(a: string, b: string): boolean {
  if (a === b) return true
  const site = getRegistrableDomain(a)
  return site !== undefined && site === getRegistrableDomain(b)
}

/** Tells whether `domain` is `parent` or a name below it. */
export function isUnder(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`)
}

/**
 * Lists a domain and its parents, up to the registrable domain. A public suffix is listed alone.
 */
export function listSelfAndParents(domain: string): string[] {
  const site = getRegistrableDomain(domain)
  if (site === undefined) return [domain]
  const above = domain.slice(0, -site.length).split('.').length
  const labels = domain.split('.')
  return Array.from({ length: above }, (_, i) => labels.slice(i).join('.'))
}

/**
 * Converts a text to the host of an identifier, in lower case and A-labels: a scheme, a path and a trailing
 * dot are dropped, a leading `*.` stays.
 */
export function toIdentifierHost(text: string): string {
  const host = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/\.$/, '')
    .toLowerCase()
  const [star, name] = host.startsWith('*.') ? ['*.', host.slice(2)] : ['', host]
  return star + (toAscii(name) || name)
}

/** Tells whether an identifier that is a host can have this value: a domain name, or a wildcard over one. */
export function isIdentifierHost(text: string): boolean {
  return parseDomain(toIdentifierHost(text).replace(/^\*\./, '')) !== undefined
}

/**
 * Strips one leading `www.` or `m.`, if the rest is a registrable domain: in `m.co.uk` and
 * `www.github.io` the label is the owner's name, in `www.news.acme.example` part of one.
 */
export function stripHostPrefix(host: string): string {
  const bare = host.replace(/^(?:www|m)\./, '')
  return bare !== host && getRegistrableDomain(bare) === bare ? bare : host
}

/**
 * Tells whether `owner` may declare this host: its own name or one below it, wildcard or not. A public
 * suffix owns none of the names below it.
 */
export function mayDeclareHost(owner: string, text: string): boolean {
  const host = toIdentifierHost(text)
  const name = host.replace(/^\*\./, '')
  if (name === owner && name === host) return true
  return isUnder(name, owner) && getRegistrableDomain(owner) !== undefined
}
