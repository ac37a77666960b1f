import type { FastifyInstance } from 'fastify'

/** A route that an app answers. */
export interface ListedRoute {
  method: string
  path: string
}

/** Lists every route of an app, as its router holds them. */
export async function listRoutes(app: FastifyInstance): Promise<ListedRoute[]> {
  await app.ready()
  const parents: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent, part, methods] = /^(.*?)[├└]── (\S+) \(([A-Z, -]+)\)/.exec(line) ?? []
      if (indent === undefined || part === undefined || methods === undefined) return []
      const depth = indent.length / 4
      const path = parents.slice(0, depth).join('') + part
      parents.splice(depth, Number.POSITIVE_INFINITY, part)
      return methods.split(', ').map(method => ({ method, path }))
    })
}
