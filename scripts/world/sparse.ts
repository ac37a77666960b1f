import { json, status } from './answer.ts'
import { adagents, entry, pointerTo, siteProperty } from './documents.ts'
import { scaleWorld } from './scale.ts'
import { notFound, pathOf, type Site, type World } from './site.ts'

export type SparseOptions = { domains: number; seed: number; night: number }

/** Of a hundred domains so many publish files, and so many fail. The others have neither file. */
const publishing = 3
const failing = 1
/** Of a thousand domains so many belong to one network. */
const networked = 7

/**
 * The web as a registry finds it: most domains have nothing, a few publish, a few fail, and some
 * point to the file of the network that manages them, which names each of them. The manager is the
 * first domain, its publishers follow.
 */
export function sparseWorld({ domains, seed, night }: SparseOptions): World {
  const full = scaleWorld({ domains, seed, night })
  const manager = full.domains[0]!
  const children = Math.floor((domains * networked) / 1_000)
  const managerFile = `https://${manager}${pathOf['adagents.json']}`
  const pointer = json(pointerTo(managerFile))
  let network: ReturnType<typeof json> | undefined
  const answerOf = (number: number, path: string) => {
    if (path !== pathOf['adagents.json'] || number > children + 1) return undefined
    if (number > 1) return pointer
    network ??= json(networkOf(full.domains.slice(1, children + 1)))
    return network
  }
  const get = (host: string): Site | undefined => {
    const site = full.sites.get(host)
    if (site === undefined) return undefined
    const number = numberOf(host)
    const place = number % 100
    return {
      host,
      answer: ask => {
        const managed = answerOf(number, ask.path)
        if (managed !== undefined) return managed
        if (place < publishing) return site.answer(ask)
        return place < publishing + failing ? status(503) : notFound
      },
    }
  }
  return { ...full, sites: { get } }
}

function numberOf(host: string): number {
  return Number(/\d+/.exec(host)?.[0])
}

function networkOf(publishers: readonly string[]) {
  return adagents({
    properties: publishers.map(publisher_domain =>
      siteProperty(publisher_domain, publisher_domain, { publisher_domain, tags: ['all'] }),
    ),
    authorized_agents: [
      entry('https://sales.network.example/mcp', 'publisher_properties', {
        publisher_properties: [{ selection_type: 'all', publisher_domains: publishers }],
      }),
    ],
  })
}
