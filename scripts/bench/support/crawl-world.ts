import { createScaleWorld } from '../../world/scale.ts'
import { serveWorld } from '../../world/server.ts'
import { serveParent } from './child.ts'

/** Serves the internet of the crawl bench in a child process. */
const world = createScaleWorld({ domains: Number(process.argv[2]), seed: 1 })
const { url } = await serveWorld(world)
serveParent({ url }, async () => undefined)
