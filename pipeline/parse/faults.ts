import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'

const FIELD_CHARS = 200
const QUOTED_CHARS = 60
const ADDRESS = /[^\s@]+@[^\s@]*/g

/**
 * The faults of one document, in the order found. At most `max` are kept, errors before warnings;
 * when there are more, the last one says how many.
 */
export class Faults {
  readonly #max: number
  readonly #errors: { at: number; fault: Fault }[] = []
  readonly #warnings: { at: number; fault: Fault }[] = []
  #total = 0

  constructor(max: number) {
    this.#max = Math.max(1, max)
  }

  error(field: string, code: FaultCode, message: string): void {
    this.#add(this.#errors, {
      field: toPrintable(field, FIELD_CHARS),
      code,
      message,
      severity: 'error',
    })
  }

  warn(field: string, code: FaultCode, message: string): void {
    const fault: Fault = {
      field: toPrintable(field, FIELD_CHARS),
      code,
      message,
      severity: 'warning',
    }
    this.#add(this.#warnings, fault)
  }

  list(): Fault[] {
    const max = this.#total > this.#max ? this.#max - 1 : this.#max
    const errors = this.#errors.slice(0, max)
    const listed = [...errors, ...this.#warnings.slice(0, max - errors.length)]
    const faults = listed.sort((a, b) => a.at - b.at).map(({ fault }) => fault)
    const more = this.#total - faults.length
    if (more > 0) faults.push(this.#summary(more, errors.length < this.#errors.length))
    return faults
  }

  #add(list: { at: number; fault: Fault }[], fault: Fault): void {
    if (list.length <= this.#max) list.push({ at: this.#total, fault })
    this.#total += 1
  }

  #summary(more: number, errorsLeftOut: boolean): Fault {
    const message = `${more} more ${more === 1 ? 'fault is' : 'faults are'} not listed: repair these first`
    return {
      field: 'root',
      code: 'more_faults',
      message,
      severity: errorsLeftOut ? 'error' : 'warning',
    }
  }
}

/** Quotes a value of the document for a message: short, on one line, without e-mail addresses. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(toPrintable(value, QUOTED_CHARS))
  if (value === null || typeof value !== 'object') return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

function toPrintable(text: string, chars: number): string {
  const short = text.length > chars ? `${truncate(text, chars)}…` : text
  return short.includes('@') ? short.replace(ADDRESS, '…@…') : short
}

/** Cuts a text to its first characters, without half a surrogate pair at the end. */
export function truncate(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
}
