import type {
  BrandList,
  PropertyList,
  RegistryStats,
} from '../../pipeline/model/responses/index.ts'
import type { Snapshot } from '../../pipeline/read/reader.ts'
import { listRegisteredBrands } from '../routes/brands/brands.ts'
import { registryStats } from '../routes/lookups.ts'
import { listRegisteredProperties } from '../routes/properties/properties.ts'
import type { Ask } from './ask.ts'
import { escapeHtml } from './html/jsx.ts'
import { toAgentPath, toBrandPath, toPublisherPath } from './parts/paths.ts'

/** Addresses of one file; crawlers take ten times as many, and this server makes each at once. */
const ADDRESSES = 5_000
/** Files of a kind: beyond this, things are found by links. */
const FILES = 200

/** Facts that sitemaps are made from. */
interface Source {
  ask: Ask
  snapshot: Snapshot | undefined
}

export const sitemapKinds = ['brands', 'publishers', 'agents'] as const
export type SitemapKind = (typeof sitemapKinds)[number]

const START = '<?xml version="1.0" encoding="UTF-8"?>'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** Builds the index of the sitemaps: as many files of each kind as its things fill. */
export async function buildSitemapIndex(source: Source, origin: string): Promise<string> {
  const { body } = await source.ask<RegistryStats>(registryStats)
  const agents = await listAgents(source)
  const counts = {
    brands: body.total_brands,
    publishers: body.total_properties,
    agents: agents.length,
  }
  const files = sitemapKinds.flatMap(kind => {
    const count = Math.min(FILES, Math.ceil(counts[kind] / ADDRESSES))
    return Array.from({ length: count }, (_, number) => `/sitemaps/${kind}-${number + 1}.xml`)
  })
  const items = files.map(path => `<sitemap><loc>${escapeHtml(origin + path)}</loc></sitemap>`)
  return `${START}<sitemapindex ${NAMESPACE}>${items.join('')}</sitemapindex>`
}

/** Builds one file of a sitemap; one past the end is empty. */
export async function buildSitemap(
  source: Source,
  origin: string,
  kind: SitemapKind,
  number: number,
): Promise<string> {
  const paths = number > FILES ? [] : await listPaths[kind](source, (number - 1) * ADDRESSES)
  const items = paths.map(path => `<url><loc>${escapeHtml(origin + path)}</loc></url>`)
  return `${START}<urlset ${NAMESPACE}>${items.join('')}</urlset>`
}

type ListPaths = (source: Source, offset: number) => Promise<string[]>

const listPaths: Record<SitemapKind, ListPaths> = {
  async brands({ ask }, offset) {
    const { body } = await ask<BrandList>(listRegisteredBrands, { query: toPage(offset) })
    return body.brands.map(({ domain }) => toBrandPath(domain))
  },
  async publishers({ ask }, offset) {
    const { body } = await ask<PropertyList>(listRegisteredProperties, { query: toPage(offset) })
    const domains = new Set(body.properties.map(({ publisher_domain }) => publisher_domain))
    return [...domains].map(toPublisherPath)
  },
  async agents(source, offset) {
    return (await listAgents(source)).slice(offset, offset + ADDRESSES).map(toAgentPath)
  },
}

/** Lists the agents that publishers' files name, by relevance. */
async function listAgents({ snapshot }: Source): Promise<readonly string[]> {
  return (await snapshot?.agents)?.urls ?? []
}

function toPage(offset: number) {
  return { limit: String(ADDRESSES), offset: String(offset) }
}
