import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { findNearestWord } from '../../pipeline/core/nearest-word.ts'
import { getFirst } from '../../pipeline/core/present.ts'
import { joinChoices } from '../../pipeline/core/validation-messages.ts'
import { preflight } from './cross-origin.ts'
import type { Operation } from './operation.ts'

/** An existing path and its method. */
export type RoutePath = Pick<Operation, 'method' | 'path'>

/**
 * Answers requests without a route: a preflight with 204, another method of a known path with 405, an unknown
 * path with 404. It runs before the body is parsed, so the content type does not matter.
 */
export function answerUnknown(app: FastifyInstance, operations: readonly RoutePath[]): void {
  const paths = [...groupMethodsByPath(operations)].map(([path, methods]) => ({
    pattern: new RegExp(
      `^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replaceAll('*', '.+')}/?$`,
    ),
    methods,
  }))
  const known = operations
    .map(operation => operation.path)
    .filter(path => path.startsWith('/api/') && !/[:*]/.test(path))
  const answer: onRequestHookHandler = (request, reply, done) => {
    const path = getFirst(request.url.split('?', 1))
    // A path may belong to one operation and match a parameter of another one.
    const methods = new Set(
      paths.flatMap(route => (route.pattern.test(path) ? route.methods : [])).sort(),
    )
    if (methods.size === 0) return done(new PublicError('not_found', explainMissing(path, known)))
    const allow = [...methods, 'OPTIONS'].join(', ')
    reply.header('allow', allow)
    if (request.method !== 'OPTIONS') {
      // The headers of a HEAD are those of a GET, the length of its body among them.
      const method = request.method === 'HEAD' ? 'GET' : request.method
      return done(
        new PublicError(
          'method_not_allowed',
          `${method} is not supported. Use ${joinChoices([...methods, 'OPTIONS'])}`,
        ),
      )
    }
    reply
      .headers({ ...preflight, 'access-control-allow-methods': allow })
      .code(204)
      .send()
  }
  // In its own plugin scope, so that its hook does not run for the routes.
  app.register(async scope => {
    scope.addHook('onRequest', answer)
    scope.setNotFoundHandler(() => undefined)
  })
}

/** Explains that nothing is at a path, with the known one that was most likely meant. */
function explainMissing(path: string, known: readonly string[]): string {
  const missing = `No such ${path.startsWith('/api/') ? 'endpoint' : 'page'}: ${path}`
  if (path.includes(':/'))
    return `${missing}. Percent-encode the URL in it, as in https%3A%2F%2Fads.acme.example%2Fmcp`
  const last = path.slice(path.lastIndexOf('/'))
  const meant =
    known.find(other => path.startsWith(`${other}/`)) ??
    findNearestWord(path, known) ??
    known.find(other => other.endsWith(last))
  return meant === undefined ? missing : `${missing}. Did you mean ${meant}?`
}

function groupMethodsByPath(operations: readonly RoutePath[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { path, method } of operations) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    found.set(path, [...(found.get(path) ?? []), ...methods])
  }
  return found
}
