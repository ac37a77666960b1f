import { answerJson, answerStatus } from './answer.ts'
import { buildAdagents, buildEntry, buildPointerTo, buildSiteProperty } from './documents.ts'
import { getItem } from './items.ts'
import { createScaleWorld } from './scale.ts'
import { notFound, type Site, type World, wellKnownPaths } from './site.ts'

export type SparseOptions = { domains: number; seed: number; night: number }

/** Domains of a hundred that publish files, and that fail. The others have neither file. */
const publishingPercent = 3
const failingPercent = 1
/** Domains of a thousand that belong to the network. */
const networkPermille = 7
/** Publishers that one network names at most: its file would be too large with more. */
const networkMax = 7_000

/**
 * Creates a web as a registry finds it: most domains have nothing, a few publish, a few fail, and
 * some point to the file of the network that manages them, which names each of them. The first
 * domain is the manager, its publishers follow.
 */
export function createSparseWorld({ domains, seed, night }: SparseOptions): World {
  const full = createScaleWorld({ domains, seed, night })
  const manager = getItem(full.domains, 0)
  const children = Math.min(networkMax, Math.floor((domains * networkPermille) / 1_000))
  const managerFile = `https://${manager}${wellKnownPaths['adagents.json']}`
  const pointer = answerJson(buildPointerTo(managerFile))
  let network: ReturnType<typeof answerJson> | undefined
  const buildAnswer = (number: number, path: string) => {
    if (path !== wellKnownPaths['adagents.json'] || number > children + 1) return undefined
    if (number > 1) return pointer
    network ??= answerJson(buildNetwork(full.domains.slice(1, children + 1)))
    return network
  }
  const get = (host: string): Site | undefined => {
    const site = full.sites.get(host)
    if (site === undefined) return undefined
    const number = parseNumber(host)
    const percentile = number % 100
    return {
      host,
      answer: ask => {
        const managed = buildAnswer(number, ask.path)
        if (managed !== undefined) return managed
        if (percentile < publishingPercent) return site.answer(ask)
        return percentile < publishingPercent + failingPercent ? answerStatus(503) : notFound
      },
    }
  }
  return {
    domains: full.domains,
    sites: { get },
    // Only on request: two objects a domain are more than the writer whose memory is measured beside them.
    get expected() {
      return full.expected
    },
  }
}

function parseNumber(host: string): number {
  return Number(/\d+/.exec(host)?.[0])
}

function buildNetwork(publishers: readonly string[]) {
  return buildAdagents({
    properties: publishers.map(publisher_domain =>
      buildSiteProperty(publisher_domain, publisher_domain, { publisher_domain, tags: ['all'] }),
    ),
    authorized_agents: [
      buildEntry('https://sales.network.example/mcp', 'publisher_properties', {
        publisher_properties: [{ selection_type: 'all', publisher_domains: publishers }],
      }),
    ],
  })
}
