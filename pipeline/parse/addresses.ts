import { toAgentUrlKey } from '../core/agent-url.ts'
import { parsePublisherDomain, stripWww } from '../core/domain.ts'
import { parseNormalizedUrl, parseUrl } from '../core/url.ts'
import { toUrl } from '../model/observation.ts'
import type { ProposedKind } from '../model/proposed-kind.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'

const URL_CHARS = 2_048
const DOMAIN_CHARS = 512
/** Matches an address of RFC 3986 characters only. */
const PLAIN_URL = /^https?:\/\/[a-z0-9.\-_~:/?#[\]@!$&'()*+,;=%]+$/i
const NOT_HTTPS = 'must start with https://'
const USER_INFO = 'contains a user name or password: remove it'

/** Reads a domain as the documents write it, in ASCII. Reports one that is missing or invalid. */
export function readDomain(part: ObjectReader, key: string): string | undefined {
  const value = part.value[key]
  const domain = parseShortDomain(value)
  if (domain === undefined) {
    part.error(key, 'bad_domain', `${quoteValue(value)} must be a domain name such as acme.example`)
  } else if (domain !== value) {
    part.warn(
      key,
      'imprecise',
      `is ${quote(value)} and was read as ${domain}: write ${quote(domain)}`,
    )
  }
  return domain
}

/** Parses like `parsePublisherDomain`, but refuses overlong texts first, which is cheaper. */
export function parseShortDomain(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= DOMAIN_CHARS
    ? parsePublisherDomain(value)
    : undefined
}

function quoteValue(value: unknown): string {
  return value === undefined ? 'is missing and' : `is ${quote(value)} but`
}

/** Reads the address as declared and its key. Reports one that is missing, invalid, or not https. */
export function readAgentUrl(
  part: ObjectReader,
  key: string,
): { url: string; agent_url: string } | undefined {
  const url = part.requiredText(key, URL_CHARS)
  if (url === undefined) {
    if (!part.has(key))
      part.error(
        key,
        'missing',
        'is missing: write the URL of the agent, such as https://agent.example/mcp',
      )
    return undefined
  }
  const agentUrl = toAgentUrlKey(url)
  if (agentUrl === undefined) {
    const rule = `but must be an https URL${describeFullAddress(url) ?? ', such as https://agent.example/mcp'}`
    part.error(key, 'bad_address', hasUserInfo(url) ? USER_INFO : `is ${quote(url)} ${rule}`)
    return undefined
  }
  if (!PLAIN_URL.test(url)) {
    part.warn(
      key,
      'imprecise',
      `has characters that must be percent-encoded: write ${quote(parseUrl(url)?.href)}`,
    )
  }
  if (!agentUrl.startsWith('https:')) part.error(key, 'not_https', describeNotHttps(url))
  return { url, agent_url: agentUrl }
}

/**
 * Reads the https URL of another file, normalised in the form in which that file is fetched and shared.
 * Undefined, with an error, for anything else, and for an address with a user name.
 */
export function readLocation(part: ObjectReader, key: string): string | undefined {
  const written = part.text(key, URL_CHARS)
  if (written === undefined) return undefined
  const fault = findFault(written)
  if (fault !== undefined) {
    part.error(key, fault.startsWith(NOT_HTTPS) ? 'not_https' : 'bad_address', fault)
    return undefined
  }
  return parseNormalizedUrl(written)?.href
}

/** Reports the address of a file that is the one which names it. */
export function checkOtherFile(
  part: ObjectReader,
  location: string,
  { kind, domain }: { kind: ProposedKind; domain: string | undefined },
): void {
  if (domain === undefined || location !== toUrl({ kind, location: domain })) return
  part.error(
    'authoritative_location',
    'nested_pointer',
    'is the URL of this file, so it points to itself: point to the file that holds the content',
  )
}

/** Describes the https URL that a text without a scheme stands for: a domain, with a path or without one. */
export function describeFullAddress(written: string): string | undefined {
  const [host = ''] = written.split(/[/?#]/, 1)
  if (!host.includes('.') || parseShortDomain(host) === undefined) return undefined
  return `: write ${quote(`https://${written}`)}`
}

/** Describes an address with another scheme, with the corrected one. */
function describeNotHttps(written: string): string {
  return `${NOT_HTTPS}: write ${quote(written.replace(/^[^:]*:(?:\/\/)?/, 'https://'))}`
}

/** Tells whether an address holds a user name or a password. */
function hasUserInfo(written: string): boolean {
  const url = parseUrl(written)
  return url !== undefined && url.username + url.password !== ''
}

function findFault(written: string): string | undefined {
  const url = parseUrl(written)
  if (!url)
    return `must be an address${describeFullAddress(written) ?? ' such as https://acme.example/file.json'}`
  if (url.protocol !== 'https:') return describeNotHttps(written)
  if (hasUserInfo(written)) return USER_INFO
  if (url.port !== '') return 'must use the default port of https'
  return url.href.length > URL_CHARS ? `is longer than ${URL_CHARS} characters` : undefined
}

/** Describes what to do with a file that is right but for the www. of the domain which serves it; undefined for any other. */
export function describeOwnDomain(serving: string, named: string): string | undefined {
  return stripWww(serving) === named ? `serve this file at ${named}, without the www` : undefined
}
