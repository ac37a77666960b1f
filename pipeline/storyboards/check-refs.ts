import { isDeepStrictEqual } from 'node:util'
import { parseUrl } from '../core/url.ts'
import { isObject, type JsonObject } from '../parse/object-reader.ts'
import type { Check, Finding, Judged, ValidationOf } from './judged.ts'
import { readPath } from './read-path.ts'

type RefsResolve = ValidationOf<'refs_resolve'>

/**
 * Checks that whatever one answer refers to is a part of another. References to other agents do not count
 * against this one, and neither do those that may be on a later page.
 */
export const refsResolve: Check<'refs_resolve'> = (validation, judged) => {
  const { source, target, scope, on_out_of_scope } = validation
  const targets = listRefs(target, judged)
  const { inside, outside } = splitByScope(listRefs(source, judged), scope, judged.agentUrl)
  const isPaged = target.from === 'current_step' && hasMorePages(judged.outcome.payload)
  const missing = isPaged ? [] : inside.filter(ref => !targets.some(isSame(ref, validation)))
  const wrong = on_out_of_scope === 'fail' ? [...missing, ...outside] : missing
  return describe(wrong, validation)
}

function describe(wrong: readonly JsonObject[], { match_keys, source }: RefsResolve): Finding {
  const [first] = wrong
  return {
    passed: first === undefined,
    expected: `every reference is found by ${match_keys.join(' and ')}`,
    actual: first && Object.fromEntries(match_keys.map(key => [key, first[key]])),
    path: source.path,
  }
}

function listRefs({ from, path }: RefsResolve['source'], judged: Judged): JsonObject[] {
  const root = from === 'context' ? Object.fromEntries(judged.values) : judged.outcome.payload
  return readPath(root, path).filter(isObject)
}

function splitByScope(refs: readonly JsonObject[], scope: RefsResolve['scope'], agentUrl: string) {
  if (scope === undefined) return { inside: refs, outside: [] }
  const { key, equals } = scope
  const wanted = toComparable(equals === '$agent_url' ? agentUrl : equals, key)
  const isInside = (ref: JsonObject) => toComparable(ref[key], key) === wanted
  return {
    inside: refs.filter(isInside),
    outside: refs.filter(ref => !isInside(ref)),
  }
}

function isSame(ref: JsonObject, { match_keys }: RefsResolve) {
  return (other: JsonObject) =>
    match_keys.every(
      key =>
        ref[key] !== undefined &&
        isDeepStrictEqual(toComparable(ref[key], key), toComparable(other[key], key)),
    )
}

/** Writes the address of an agent without its transport, by which it is called but not named. */
function toComparable(value: unknown, key: string): unknown {
  const url = typeof value === 'string' && /url$/i.test(key) ? parseUrl(value) : undefined
  if (url === undefined) return value
  const { protocol, host, pathname } = url
  return `${protocol}//${host}${pathname.replace(/\/(?:mcp|a2a|sse)\/?$/, '').replace(/\/$/, '')}`
}

function hasMorePages({ pagination }: JsonObject): boolean {
  return isObject(pagination) && pagination.has_more === true
}
