import { InvalidArgumentError } from 'commander'
import { type Domain, parsePastedDomain } from '../../pipeline/core/domain.ts'
import { parseUrl } from '../../pipeline/core/url.ts'
import { parseVerifierKey } from '../../pipeline/transparency/signed-note.ts'

/** Reads an argument; throws with a message where it is not valid, which ends the command. */
type ReadArgument<Value> = (text: string) => Value

const DIGITS_MAX = 15

/** Reads a whole number between two bounds, both included. */
export function readWholeBetween(min: number, max: number): ReadArgument<number> {
  return text => {
    const number = /^\d+$/.test(text) && text.length <= DIGITS_MAX ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused
const CONTROL = /[\x00-\x1f\x7f]/

/** Reads one line of text, at most `maxChars` long, without surrounding blanks. */
export function readLine(maxChars: number): ReadArgument<string> {
  return text => {
    const trimmed = text.trim()
    if (trimmed === '') throw new InvalidArgumentError('must not be empty.')
    if (trimmed.length > maxChars) {
      throw new InvalidArgumentError(`must have at most ${maxChars} characters.`)
    }
    if (CONTROL.test(trimmed)) throw new InvalidArgumentError('must be one line of text.')
    return trimmed
  }
}

/** Name of an organization, of a member, of an agent. */
export const name = readLine(200)
/** Reason that the audit log keeps. */
export const reason = readLine(2_000)
/** Id of a key, person, organization or submission, as a list prints it. */
export const anyId = readLine(300)
/** Address of an agent; the operation itself checks that it can be one. */
export const address = readLine(2_048)
/** Origin of a server: scheme, host and port, without a path. */
export const origin: ReadArgument<string> = text => {
  const url = parseUrl(text)
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new InvalidArgumentError('must be an origin, such as http://127.0.0.1:4000.')
}
/** Address that is called; http:// for one on this machine or in a private network. */
export const httpUrl: ReadArgument<string> = text => {
  const url = parseUrl(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href
  throw new InvalidArgumentError('must be a URL, such as https://agent.example/mcp.')
}

/** Credential that an agent gave. */
export const token = readLine(4_096)

/** Path of a file or a folder. */
export const path = readLine(4_096)

/** Public key of a log, as verifiers of signed notes take it. */
export const verifierKey: ReadArgument<string> = text => {
  if (parseVerifierKey(text) !== undefined) return text.trim()
  throw new InvalidArgumentError('must be the key of a log: name+id+key.')
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads an id that the registry has made. */
export function readId(what: string): ReadArgument<string> {
  return text => {
    if (!UUID.test(text.trim())) throw new InvalidArgumentError(`must be ${what}, a UUID.`)
    return text.trim().toLowerCase()
  }
}

const SECRET = /^sk_[\w-]+$/

/** API key, by its id or its secret. */
export const keyOrSecret: ReadArgument<string> = text => {
  const trimmed = text.trim()
  if (UUID.test(trimmed)) return trimmed.toLowerCase()
  if (SECRET.test(trimmed)) return trimmed
  throw new InvalidArgumentError('must be an id that `key list` prints, a UUID, or a secret: sk_….')
}

/** API key, or `-` for the standard input. */
export const keyOrInput: ReadArgument<string> = text => (text === '-' ? text : keyOrSecret(text))

export const rid = readId('the registry ID (rid) of a record')

export const domain: ReadArgument<Domain> = text => {
  const read = parsePastedDomain(text)
  if (read === undefined) throw new InvalidArgumentError('must be a domain, such as acme.example.')
  return read
}

/** Reads one more domain of a list. */
export function readDomains(text: string, before: readonly Domain[] = []): Domain[] {
  return [...before, domain(text)]
}

/** Reads one more domain of a list, in which `-` stands for those of the standard input. */
export function readDomainsOrInput(
  text: string,
  before: readonly (Domain | '-')[] = [],
): (Domain | '-')[] {
  return [...before, text === '-' ? text : domain(text)]
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/

export const instant: ReadArgument<number> = text => {
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time, such as 2026-11-20T03:00Z.')
  return at
}
