import { InvalidArgumentError } from 'commander'
import { type Domain, parseDomain } from '../../pipeline/core/domain.ts'

/** What is typed, as a command takes it. What cannot be understood ends the command at once, in words. */
type Reading<Value> = (text: string) => Value

const MOST_DIGITS = 15

/** A whole number between two, both taken. */
export function readWholeBetween(least: number, most: number): Reading<number> {
  return text => {
    const number = /^\d+$/.test(text) && text.length <= MOST_DIGITS ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\x00-\x1f\x7f]/

/** Words on one line, without what stands around them. */
export function readWords(most: number): Reading<string> {
  return text => {
    const trimmed = text.trim()
    if (trimmed === '') throw new InvalidArgumentError('must not be empty.')
    if (trimmed.length > most) {
      throw new InvalidArgumentError(`must have at most ${most} characters.`)
    }
    if (CONTROL.test(trimmed)) throw new InvalidArgumentError('must be one line of text.')
    return trimmed
  }
}

/** Name of an organization, of a member, of an agent. */
export const name = readWords(200)
/** Why something is done. */
export const reason = readWords(2_000)
/** Somebody, or something, by the id that a list prints. */
export const anyId = readWords(300)
/** Address of an agent; whether it can be one is looked at with what else is said of it. */
export const address = readWords(2_048)
/** Where a file or a folder is. */
export const path = readWords(4_096)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id that the registry has made. */
export function readId(what: string): Reading<string> {
  return text => {
    if (!UUID.test(text.trim())) throw new InvalidArgumentError(`must be ${what}, a UUID.`)
    return text.trim().toLowerCase()
  }
}

export const rid = readId('the rid of a record')

export const domain: Reading<Domain> = text => {
  const read = parseDomain(text)
  if (read === undefined) throw new InvalidArgumentError('must be a domain, as acme.example.')
  return read
}

/** Domains, one after the other. */
export function readDomains(text: string, before: readonly Domain[] = []): Domain[] {
  return [...before, domain(text)]
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/

export const instant: Reading<number> = text => {
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time, as 2026-11-20T03:00Z.')
  return at
}
