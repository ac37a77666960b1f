import type { preValidationHookHandler } from 'fastify'
import { z } from 'zod'
import { PublicError } from '../../pipeline/core/errors.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import type { Operation } from './operation.ts'

const NAME_CHARS_MAX = 100

/**
 * Builds the check that refuses a parameter which an operation does not know: whoever misspells a filter would
 * otherwise get everything. Pages and files are shared under addresses to which others add parameters of their
 * own, so these take any; undefined for them.
 */
export function refuseUnknown(operation: Operation): preValidationHookHandler | undefined {
  if (operation.group === undefined || operation.isFile) return undefined
  const known = new Set(listParameters(operation))
  return ({ query }, _reply, done) => done(findUnknown(query as object, known))
}

/** Builds the refusal of the first parameter that is not known; undefined if all are. */
export function findUnknown(query: object, known: ReadonlySet<string>): PublicError | undefined {
  for (const name in query) if (!known.has(name)) return buildRefusal(name, known)
  return undefined
}

/** Lists the parameters that an operation takes in its query. */
export function listParameters({ query, agentOwner }: Operation): string[] {
  if (query !== undefined && !(query instanceof z.ZodObject))
    throw new Error('the query of an operation must be an object of parameters')
  const names = Object.keys(query?.shape ?? {})
  // It may name the organization here as well as in its body (request-hooks.ts).
  return agentOwner === undefined || names.includes('org') ? names : [...names, 'org']
}

/** Finds the only known name of which another is a part, or that is a part of it: `agent` for `agent_url`. */
export function findPart(name: string, known: Iterable<string>): string | undefined {
  const found = [...known].filter(other => {
    const [short, long] = name.length < other.length ? [name, other] : [other, name]
    return long.split('_').includes(short)
  })
  return found.length === 1 ? found[0] : undefined
}

/** Names under which one operation or another takes a text to search for. */
const textNames: readonly string[] = ['q', 'query', 'search']

function findTextName(name: string, known: ReadonlySet<string>): string | undefined {
  return textNames.includes(name) ? textNames.find(other => known.has(other)) : undefined
}

function buildRefusal(name: string, known: ReadonlySet<string>): PublicError {
  const nearest = findNearestWord(name, known) ?? findPart(name, known) ?? findTextName(name, known)
  const names =
    known.size === 0
      ? 'This operation takes none.'
      : `Supported parameters: ${[...known].join(', ')}.`
  const help = nearest === undefined ? names : `Did you mean \`${nearest}\`?`
  const shown = name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name
  return new PublicError('invalid_request', `Unknown parameter \`${shown}\`. ${help}`)
}
