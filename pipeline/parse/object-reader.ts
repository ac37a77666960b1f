import { isLonger } from '../core/count-characters.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import { parseDateTime } from './datetime.ts'
import { type Faults, quote, truncate } from './faults.ts'
import {
  type Alphabet,
  describeChoice,
  describeNoString,
  type Example,
  proposeItem,
  proposeList,
  proposeSpelling,
} from './suggestions.ts'

export type JsonObject = Record<string, unknown>

const ID_CHARS = 255
const LABEL_CHARS = 500
const DATE_TIME = 'a date and time such as 2026-01-31T09:00:00Z'
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads one object of a document, with its position. Every reader takes what is valid, reports what is not,
 * and never throws: a key that is absent, or not usable, reads as undefined.
 */
export class ObjectReader {
  readonly value: JsonObject
  readonly field: string
  readonly faults: Faults
  /** Position in the list that contains it. */
  readonly index: number

  constructor(value: JsonObject, field: string, faults: Faults, index = 0) {
    this.value = value
    this.field = field
    this.faults = faults
    this.index = index
  }

  path(key: string): string {
    return this.field === '' ? key : `${this.field}.${key}`
  }

  has(key: string): boolean {
    return this.value[key] !== undefined
  }

  /** Tells whether a key without any usable item was reported already: it is no list, or each item has a fault. */
  isReported(key: string): boolean {
    const value = this.value[key]
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  }

  error(key: string, code: FaultCode, message: string | (() => string)): void {
    this.faults.error(this.path(key), code, message)
  }

  warn(key: string, code: FaultCode, message: string | (() => string)): void {
    this.faults.warn(this.path(key), code, message)
  }

  /** Reads a text that is compared: trimmed, never shortened. */
  text(key: string, maxChars = ID_CHARS): string | undefined {
    return this.#text(key, maxChars, true)
  }

  /** Reads a required text; its fault does not advise omitting it. */
  requiredText(key: string, maxChars = ID_CHARS): string | undefined {
    return this.#text(key, maxChars, false)
  }

  /** Reads a text for people: shortened when it is too long. */
  label(key: string, maxChars = LABEL_CHARS): string | undefined {
    return this.#label(key, maxChars, true)
  }

  /** Reads a required label; its fault does not advise omitting it. */
  requiredLabel(key: string, maxChars = LABEL_CHARS): string | undefined {
    return this.#label(key, maxChars, false)
  }

  #text(key: string, maxChars: number, isOptional: boolean): string | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    if (typeof value === 'string') {
      return readText(value, this.path(key), this.faults, { maxChars, isOptional })
    }
    this.error(
      key,
      'wrong_type',
      `${describeNoString(value)}${isOptional ? ', or leave it out' : ''}`,
    )
    return undefined
  }

  #label(key: string, maxChars: number, isOptional: boolean): string | undefined {
    const value = this.value[key]
    if (typeof value !== 'string' || !isLonger(value, maxChars)) {
      return this.#text(key, maxChars, isOptional)
    }
    this.error(key, 'too_long', `is longer than ${maxChars} characters and was cut off: shorten it`)
    return truncate(value, maxChars).trim() || undefined
  }

  oneOf<const Value extends string>(key: string, values: readonly Value[]): Value | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    const word = values.find(known => known === value)
    if (word === undefined) this.notAllowed(key, value, values)
    return word
  }

  /** Reports a value that is none of those allowed, with the one that was most likely meant. */
  notAllowed(key: string, value: unknown, allowed: readonly string[], verb: 'is' | 'has' = 'is') {
    this.error(key, 'not_allowed', () => describeChoice(value, allowed, verb))
  }

  /** Reports a name with characters that are not allowed, and how it is written without them. */
  checkAlphabet(key: string, name: string, alphabet: Alphabet, verb: 'is' | 'has' = 'is'): void {
    if (alphabet.pattern.test(name)) return
    const rule = `but may contain only ${alphabet.allows}`
    this.error(
      key,
      'bad_pattern',
      () => `${verb} ${quote(name)} ${rule}${proposeSpelling(name, alphabet)}`,
    )
  }

  flag(key: string): boolean | undefined {
    const value = this.value[key]
    if (value === undefined || typeof value === 'boolean') return value
    const meant = typeof value === 'string' ? value.trim().toLowerCase() : ''
    const fix = meant === 'true' || meant === 'false' ? `: write ${meant} without quotes` : ''
    this.error(key, 'wrong_type', `must be true or false, not ${quote(value)}${fix}`)
    return undefined
  }

  /** Reads an instant, in UTC. */
  dateTime(key: string, isOptional = true): string | undefined {
    const advice = isOptional ? '; leave it out if there is none' : ''
    return this.#dateTime(key, value =>
      this.error(key, 'bad_moment', `is ${value} but must be ${DATE_TIME}${advice}`),
    )
  }

  /** Reads an end of a validity period; without it, the entry that it limits cannot be used. */
  limit(key: string): string | undefined {
    return this.#dateTime(key, value =>
      this.error(key, 'unreadable', `is ${value}, so this entry was ignored: write ${DATE_TIME}`),
    )
  }

  #dateTime(key: string, report: (value: string) => void): string | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    const parsed = typeof value === 'string' ? parseDateTime(value) : undefined
    if (!parsed) {
      report(quote(value))
      return undefined
    }
    if (!parsed.isFull) {
      this.warn(
        key,
        'imprecise',
        `is not a full date and time with a time zone and was read as ${parsed.iso}: write ${quote(parsed.iso)}`,
      )
    }
    return parsed.iso
  }

  list(key: string, example?: Example): unknown[] | undefined {
    const value = this.value[key]
    if (value === undefined || Array.isArray(value)) return value
    const advice = isObject(value) ? ': put it in brackets: [ … ]' : proposeItem([value], example)
    this.error(key, 'wrong_type', `must be a list, not ${quote(value)}${advice}`)
    return undefined
  }

  /** Reads the distinct texts of a list; other items are left out. */
  texts(key: string): string[] | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    if (Array.isArray(value)) return this.#texts(key)
    this.error(key, 'wrong_type', `must be a list, not ${quote(value)}${proposeList(value)}`)
    return undefined
  }

  /** Reads names like `texts`; those that the alphabet does not allow are reported and kept. */
  names(key: string, alphabet: Alphabet): string[] | undefined {
    const names = this.texts(key)
    const invalid = names?.find(name => !alphabet.pattern.test(name))
    if (invalid !== undefined) this.checkAlphabet(key, invalid, alphabet, 'has')
    return names
  }

  /**
   * Reads a list that narrows a grant: for any present value the result is a list, and an empty one
   * admits nothing.
   */
  restriction(key: string): string[] | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    if (!Array.isArray(value)) {
      this.error(
        key,
        'wrong_type',
        `must be a list, so this entry currently has no effect${proposeList(value)}`,
      )
      return []
    }
    const texts = this.#texts(key)
    if (value.length === 0) {
      this.error(
        key,
        'empty',
        'is empty, so this entry currently has no effect: leave it out to set no limit',
      )
    }
    return texts
  }

  /** Reads the objects of a list, each with its position; other items are left out. `example` shows how one is written. */
  parts(key: string, example?: Example): ObjectReader[] {
    const list = this.list(key, example)
    if (list === undefined || list.length === 0) return []
    const parts: ObjectReader[] = []
    const path = this.path(key)
    for (let i = 0; i < list.length; i++) {
      const item = list[i]
      if (isObject(item)) parts.push(new ObjectReader(item, `${path}[${i}]`, this.faults, i))
      else {
        const message = `must be an object, not ${quote(item)}${proposeItem(item, example)}`
        this.faults.error(`${path}[${i}]`, 'wrong_type', message)
      }
    }
    return parts
  }

  /** Reads an object; `example` shows how one is written. */
  part(key: string, example?: string): ObjectReader | undefined {
    const value = this.value[key]
    if (value === undefined) return undefined
    if (isObject(value)) return new ObjectReader(value, this.path(key), this.faults)
    const advice = example === undefined ? '' : `: use ${example}`
    this.error(key, 'wrong_type', `must be an object, not ${quote(value)}${advice}`)
    return undefined
  }

  /** Returns the members other than the `known` keys, as written. */
  rest(known: ReadonlySet<string>): JsonObject {
    const rest: JsonObject = {}
    for (const key of Object.keys(this.value)) if (!known.has(key)) rest[key] = this.value[key]
    return rest
  }

  #texts(key: string): string[] {
    const list = this.value[key] as unknown[]
    const path = this.path(key)
    const texts = new Set<string>()
    for (let i = 0; i < list.length; i++) {
      const item = list[i]
      if (typeof item !== 'string') {
        this.faults.error(`${path}[${i}]`, 'wrong_type', describeNoString(item))
        continue
      }
      const text = readText(item, `${path}[${i}]`, this.faults, {
        maxChars: ID_CHARS,
        isOptional: true,
      })
      if (text !== undefined && texts.has(text)) {
        this.faults.warn(`${path}[${i}]`, 'repeated', `repeats ${quote(text)}: remove it`)
      }
      if (text !== undefined) texts.add(text)
    }
    return [...texts]
  }
}

function readText(
  value: string,
  at: string,
  faults: Faults,
  { maxChars, isOptional }: { maxChars: number; isOptional: boolean },
): string | undefined {
  const trimmed = value.trim()
  if (trimmed === '') {
    const advice = isOptional ? 'leave it out, or add a value' : 'add a value'
    faults.error(at, 'empty', `is empty: ${advice}`)
  } else if (isLonger(trimmed, maxChars))
    faults.error(at, 'too_long', `is longer than ${maxChars} characters: shorten it`)
  else {
    if (trimmed !== value) faults.warn(at, 'imprecise', 'starts or ends with spaces: remove them')
    return trimmed
  }
  return undefined
}

/** Returns `{ [key]: value }`, or nothing, so that absent keys stay absent. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value })
}
