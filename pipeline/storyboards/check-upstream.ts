import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../parse/object-reader.ts'
import { type Check, isPresent, type ValidationOf } from './judged.ts'
import { readPath } from './read-path.ts'

const DEPTH_MAX = 64

type UpstreamTraffic = ValidationOf<'upstream_traffic'>

/** Checks by an agent’s own record that a step made it call another platform, and what it passed on. */
export const upstreamTraffic: Check<'upstream_traffic'> = (validation, judged) => {
  const { min_count: least, endpoint_pattern, payload_must_contain, identifier_paths } = validation
  const calls = (judged.upstream?.get(validation.since) ?? []).filter(({ endpoint }) =>
    matchesEndpoint(endpoint, endpoint_pattern),
  )
  if (calls.length < least) {
    return { passed: false, expected: `at least ${least} calls upstream`, actual: calls.length }
  }
  const lacking = payload_must_contain.find(rule => !calls.some(call => hasMember(call, rule)))
  if (lacking !== undefined) {
    const { path, value = 'a value', allowed_values = value } = lacking
    return { passed: false, expected: allowed_values, actual: 'in no call upstream', path }
  }
  const sent = identifier_paths.flatMap(path =>
    readPath(judged.request, path).map(value => ({ path, value })),
  )
  const lost = sent.find(
    ({ value }) => isPresent(value) && !calls.some(({ payload }) => hasValue(payload, value)),
  )
  return {
    passed: lost === undefined,
    expected: lost?.value,
    actual: 'in no call upstream',
    ...(lost && { path: lost.path }),
  }
}

/** Matches `METHOD URL` by a pattern, in which `*` stands for any characters. */
function matchesEndpoint(endpoint: unknown, pattern = '*'): boolean {
  if (typeof endpoint !== 'string') return false
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return endpoint === pattern
  if (!endpoint.startsWith(start)) return false
  let at = start.length
  for (const part of parts) {
    const found = endpoint.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return endpoint.length - end.length >= at && endpoint.endsWith(end)
}

/** Tells whether a call passed on a member; a path has a meaning only in JSON. */
function hasMember(
  { content_type, payload }: JsonObject,
  { path, match, value, allowed_values = [] }: UpstreamTraffic['payload_must_contain'][number],
): boolean {
  if (!/^application\/(.+\+)?json\b/i.test(String(content_type))) return false
  const found = readPath(payload, path.replace(/^\$?\.?/, '')).filter(isPresent)
  if (match === 'present') return found.length > 0
  const wanted = match === 'equals' ? [value] : allowed_values
  return found.some(value => wanted.some(other => isDeepStrictEqual(value, other)))
}

/** Tells whether a value stands anywhere in a payload; within the text of one that is not JSON. */
function hasValue(payload: unknown, value: unknown, depth = 0): boolean {
  if (depth === 0 && typeof payload === 'string' && typeof value === 'string') {
    return payload.includes(value)
  }
  if (isDeepStrictEqual(payload, value)) return true
  if (depth > DEPTH_MAX || typeof payload !== 'object' || payload === null) return false
  return Object.values(payload).some(member => hasValue(member, value, depth + 1))
}
