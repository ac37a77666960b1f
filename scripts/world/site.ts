import { type Answer, type Ask, answerJson, answerPage, answerStatus } from './answer.ts'

export type Doc = Record<string, unknown>

export type FileName = 'brand.json' | 'adagents.json'

export const wellKnownPaths: Readonly<Record<FileName, string>> = {
  'brand.json': '/.well-known/brand.json',
  'adagents.json': '/.well-known/adagents.json',
}

/** A broken certificate. Without TLS such a host just answers. */
export type TlsFault = 'wrong_name' | 'expired' | 'unknown_authority' | 'reset'

export type Site = { host: string; tls?: TlsFault; answer(ask: Ask): Answer }

export type Expectation = { domain: string; file: FileName; situation: string }

export type World = {
  /** Domains to crawl: sorted, lowercase, ASCII. */
  domains: readonly string[]
  sites: { get(host: string): Site | undefined }
  /** Results that a crawler should find, one short word per domain and file. */
  expected: readonly Expectation[]
}

/** A document that a night may still change, or a fixed answer. */
export type Published =
  | { situation: string; document: () => Doc }
  | { situation: string; answer: () => Answer }

/** One host before it is built. Several modules may each contribute parts of the same host. */
export type Place = {
  host: string
  title?: string
  /** False for hosts that a crawler has to discover: agents, file hosts. */
  listed?: false
  files?: Readonly<Partial<Record<FileName, Published>>>
  pages?: Readonly<Record<string, () => Answer>>
  /** Called first; undefined leaves the request to files and pages. */
  respond?: (ask: Ask) => Answer | undefined
  tls?: TlsFault
}

/**
 * Builds a site. Answers are made on the first request and kept: tests visit only a small part of
 * the world.
 */
export function buildSite(place: Place): Site {
  const makers = new Map<string, () => Answer>()
  makers.set('/', () => buildHomePage(place))
  for (const [path, make] of Object.entries(place.pages ?? {})) makers.set(path, make)
  for (const name of ['brand.json', 'adagents.json'] as const) {
    const published = place.files?.[name]
    if (published !== undefined) makers.set(wellKnownPaths[name], () => buildAnswer(published))
  }
  const answers = new Map<string, Answer>()
  const find = (path: string): Answer => {
    const known = answers.get(path)
    if (known !== undefined) return known
    const make = makers.get(path)
    if (make === undefined) return notFound
    const made = make()
    answers.set(path, made)
    return made
  }
  const answer = (ask: Ask): Answer => place.respond?.(ask) ?? find(ask.path)
  return { host: place.host, answer, ...(place.tls === undefined ? {} : { tls: place.tls }) }
}

export function findSituation(place: Place, name: FileName): string {
  if (place.tls !== undefined) return `tls_${place.tls}`
  return place.files?.[name]?.situation ?? 'absent'
}

export const notFound: Answer = answerStatus(404)

function buildAnswer(published: Published): Answer {
  return 'document' in published ? answerJson(published.document()) : published.answer()
}

function buildHomePage(place: Place): Answer {
  const title = place.title ?? place.host
  return answerPage(title, `${title} is part of an invented internet.`)
}
