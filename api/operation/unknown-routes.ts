import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import { preflight } from './cross-origin.ts'
import type { Operation } from './operation.ts'

/** A path that is there, and the method it takes. */
export type Place = Pick<Operation, 'method' | 'path'>

/**
 * Answers what no route takes: a preflight, a method that the path does not have, or a path that is
 * not there. Asked before the body is looked at, so that its type does not matter.
 */
export function answerUnknown(app: FastifyInstance, operations: readonly Place[]): void {
  const paths = [...groupMethodsByPath(operations)].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`),
    methods,
  }))
  const answer: onRequestHookHandler = (request, reply, done) => {
    const path = request.url.split('?', 1)[0]!
    // A path may be the place of one operation and be named by a parameter of another one.
    const taken = new Set(paths.flatMap(route => (route.pattern.test(path) ? route.methods : [])))
    if (taken.size === 0) return done(new PublicError('not_found', `${path} does not exist`))
    const allow = [...taken, 'OPTIONS'].join(', ')
    reply.header('allow', allow)
    if (request.method !== 'OPTIONS') {
      return done(new PublicError('method_not_allowed', `${path} allows ${allow}`))
    }
    reply
      .headers({ ...preflight, 'access-control-allow-methods': allow })
      .code(204)
      .send()
  }
  // In a scope of its own, so that the routes do not run its hook.
  app.register(async scope => {
    scope.addHook('onRequest', answer)
    scope.setNotFoundHandler(() => undefined)
  })
}

function groupMethodsByPath(operations: readonly Place[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { path, method } of operations) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    found.set(path, [...(found.get(path) ?? []), ...methods])
  }
  return found
}
