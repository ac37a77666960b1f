import type { Instant } from '../core/clock.ts'
import { DAY, HOUR } from '../core/clock.ts'

/** Values that a run knows when it makes a request. */
export interface RunContext {
  /** Values from earlier answers, by name. */
  values: ReadonlyMap<string, unknown>
  /** Generates an id; the same one for the same name during a run, and another one where it has none. */
  generate(name: string): string
  /** Moment at which the run began. */
  startedAt: Instant
  /** The protocol's short name, which replaces `proto`. */
  protocolName: string
}

/** Names a value that an earlier step should have provided. */
export interface MissingValue {
  missing: string
}

/** A made-up id; without a name it is another one each time. */
const GENERATE = /^\$generate:(?:uuid_v4|opaque_id)(?:#([\w.-]+))?$/
const TIME = /^\$time:([+-]\d+)([dh])$/

/** Resolves the references in a value; returns the first name that has no value. */
export function resolveReferences(
  value: unknown,
  context: RunContext,
): { value: unknown } | MissingValue {
  const missing: string[] = []
  const replaced = replace(value, context, missing)
  return missing[0] === undefined ? { value: replaced } : { missing: missing[0] }
}

function replace(value: unknown, context: RunContext, missing: string[]): unknown {
  if (typeof value === 'string') return replaceText(value, context, missing)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => replace(item, context, missing))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      String(replace(applyProtocolName(key, context.protocolName), context, missing)),
      replace(member, context, missing),
    ]),
  )
}

function replaceText(text: string, context: RunContext, missing: string[]): unknown {
  if (text.includes('{{')) missing.push(text)
  if (!text.startsWith('$')) return text
  if (text.startsWith('$context.')) {
    const name = text.slice('$context.'.length)
    const value = context.values.get(name)
    if (value === undefined) missing.push(name)
    return value
  }
  const [generated, name = ''] = GENERATE.exec(text) ?? []
  if (generated !== undefined) return context.generate(name)
  const [found, amount, unit] = TIME.exec(text) ?? []
  if (found === undefined) return text
  const ms = Number(amount) * (unit === 'd' ? DAY : HOUR)
  return new Date(context.startedAt + ms).toISOString()
}

/** Replaces `proto` in a name by the short name of the protocol: `get_proto_capabilities`, `proto_error`. */
export function applyProtocolName(name: string, protocolName: string): string {
  return name.replace(/(?<=^|[_.])proto(?=$|[_.])/g, protocolName)
}
