import type { LeftOutList } from '../model/documents/index.ts'
import type { FaultCode } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'

const FIELD_CHARS = 200
const QUOTED_CHARS = 60
const EMAIL_ADDRESS = /[^\s@]+@[^\s@]*/g

/**
 * Collects the faults of one document. At most `max` are kept, the gravest ones, and listed
 * in the order in which they were found. If there are more, the last one says how many.
 */
export class Faults {
  /** Lists of the document of which a part was left out because it is too broad. */
  readonly leftOut = new Set<LeftOutList>()
  readonly #max: number
  readonly #errors: { at: number; fault: Fault }[] = []
  readonly #warnings: { at: number; fault: Fault }[] = []
  readonly #recommendations: { at: number; fault: Fault }[] = []
  #total = 0

  constructor(max: number) {
    this.#max = Math.max(1, max)
  }

  /** Reports a violation of the specification. A message that takes time to write is written only if it is kept. */
  error(field: string, code: FaultCode, message: string | (() => string)): void {
    this.#add(this.#errors, { field, code, severity: 'error' }, message)
  }

  /** Reports something that costs nothing and should still be repaired. */
  warn(field: string, code: FaultCode, message: string | (() => string)): void {
    this.#add(this.#warnings, { field, code, severity: 'warning' }, message)
  }

  /** Reports what would make a document better in which nothing is wrong: pages and `--strict` do not count it. */
  recommend(field: string, code: FaultCode, message: string): void {
    this.#add(this.#recommendations, { field, code, severity: 'recommendation' }, message)
  }

  /** Tells whether such an error of a field is kept. */
  hasError(field: string, code: FaultCode): boolean {
    return this.#errors.some(({ fault }) => fault.field === field && fault.code === code)
  }

  /** Reports what explains other faults in their place: an error if one of them is, else a warning. */
  explain(isExplained: (fault: Fault) => boolean, fault: Omit<Fault, 'severity'>): void {
    const before = this.#errors.length
    for (const list of [this.#errors, this.#warnings]) {
      const others = list.filter(({ fault: other }) => !isExplained(other))
      this.#total -= list.length - others.length
      list.splice(0, list.length, ...others)
    }
    const isError = this.#errors.length < before
    const { field, code, message } = fault
    if (isError) this.error(field, code, message)
    else this.warn(field, code, message)
  }

  /** Lists the faults that are kept. */
  list(): Fault[] {
    const max = this.#total > this.#max ? this.#max - 1 : this.#max
    const gravestFirst = [...this.#errors, ...this.#warnings, ...this.#recommendations]
    const listed = gravestFirst.slice(0, max).sort((a, b) => a.at - b.at)
    const faults = listed.map(({ fault }) => fault)
    const more = this.#total - faults.length
    const [unlisted] = gravestFirst.slice(max)
    if (unlisted !== undefined) faults.push(summarize(more, unlisted.fault))
    return faults
  }

  #add(
    list: { at: number; fault: Fault }[],
    { field, code, severity }: Omit<Fault, 'message'>,
    message: string | (() => string),
  ): void {
    if (list.length < this.#max) {
      const text = typeof message === 'string' ? message : message()
      const shown = toPrintable(field, FIELD_CHARS)
      list.push({ at: this.#total, fault: { field: shown, code, message: text, severity } })
    }
    this.#total += 1
  }
}

function summarize(more: number, { severity }: Fault): Fault {
  const message = `${more} more ${more === 1 ? 'issue is' : 'issues are'} not listed: fix these first`
  return { field: 'root', code: 'more_faults', message, severity }
}

/** Quotes a value of the document for a message: short, on one line, without email addresses. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(toPrintable(value, QUOTED_CHARS))
  if (value === null || typeof value !== 'object') return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** Shortens a text of the document and hides email addresses, so that it can be shown. */
function toPrintable(text: string, chars: number): string {
  const short = text.length > chars ? `${truncate(text, chars)}…` : text
  return short.includes('@') ? short.replace(EMAIL_ADDRESS, '…@…') : short
}

/** Cuts a text to its first characters, without half a surrogate pair at the end. */
export function truncate(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
}
