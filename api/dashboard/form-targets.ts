import { getFirst } from '../../pipeline/core/present.ts'
import type { RoutePath } from '../operation/unknown-routes.ts'
import type { PersonRoute } from './dashboard-request.ts'

/** Builds the routes that send whoever opens the target of a form to the nearest page above it, which has the form. */
export function buildFormTargetRoutes(routes: readonly RoutePath[]): PersonRoute[] {
  const pages = new Set(routes.flatMap(({ method, path }) => (method === 'GET' ? path : [])))
  const targets = new Set(routes.flatMap(({ path }) => (pages.has(path) ? [] : path)))
  return [...targets].map(path => {
    const levels = countLevels(path) - countLevels(findPageAbove(path, pages))
    return {
      method: 'GET',
      path,
      handle: ({ request }) => ({
        next: getFirst(request.url.split('?', 1)).split('/').slice(0, -levels).join('/'),
      }),
    }
  })
}

function findPageAbove(path: string, pages: ReadonlySet<string>): string {
  const above = path.slice(0, path.lastIndexOf('/'))
  return above === '' || pages.has(above) ? above : findPageAbove(above, pages)
}

const countLevels = (path: string) => path.split('/').length
