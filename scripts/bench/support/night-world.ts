import { serveWorld } from '../../world/server.ts'
import { createSparseWorld } from '../../world/sparse.ts'
import { serveParent } from './child.ts'

/** Selects the night whose web is served; the answer counts all requests so far. */
export interface NightQuestion {
  night: number
}

/** Serves the web of the night benches in a child process. */
const domains = Number(process.argv[2])
let world = createSparseWorld({ domains, seed: 1, night: 1 })
const changing = { ...world, sites: { get: (host: string) => world.sites.get(host) } }
const { url, requests } = await serveWorld(changing)
serveParent<NightQuestion, { requests: number }>({ url }, async ({ night }) => {
  world = createSparseWorld({ domains, seed: 1, night })
  return { requests: [...requests.values()].reduce((sum, count) => sum + count, 0) }
})
