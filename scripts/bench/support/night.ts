import { limits } from '../../../pipeline/core/limits.ts'
import { getAt } from '../../../pipeline/core/present.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import type { FileKind, Observation } from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { createScaleWorld } from '../../world/scale.ts'
import { type World, wellKnownPaths } from '../../world/site.ts'

/** One file in this many differs from the night before. */
export const CHANGING = 100

/** Files are numbered: first the adagents.json, one in ten, then the brand.json. */
export interface Files {
  world: World
  adagents: number
  all: number
}

/** The night that is observed, and when. */
interface Plan {
  night: number
  observedAt: number
  isAgain?: boolean
}

export function buildFiles(sources: number): Files {
  const adagents = Math.ceil(sources / 10)
  const domains = Math.max(adagents, sources - adagents)
  return { world: createScaleWorld({ domains, seed: 1 }), adagents, all: adagents + domains }
}

/**
 * Builds the observations of the files from number `first` to below `end`. In night 1 all are new;
 * later one in a hundred has changed since the night before and the rest is unchanged; with
 * `isAgain` all are as they were in that night. Only changed files are parsed and bring their
 * bytes.
 */
export function buildObservations(
  { world, adagents }: Files,
  { night, observedAt, isAgain = false }: Plan,
  first: number,
  end: number,
): Observation[] {
  return Array.from({ length: end - first }, (_, i) => {
    const file = first + i
    const kind: FileKind = file < adagents ? 'adagents.json' : 'brand.json'
    const location = getAt(world.domains, file < adagents ? file : file - adagents)
    const revision = computeRevision(file, night)
    const common = {
      kind,
      location,
      observed_at: observedAt,
      etag: toEtag(kind, location, revision),
    }
    if (isAgain || revision < night)
      return { ...common, outcome: 'unchanged', status: 304 } as const
    return { ...common, ...read(readBody(world, location, kind, night), kind, location, night > 1) }
  })
}

export function toEtag(kind: FileKind, location: string, revision: number): string {
  return `"${kind}-${location}-${revision}"`
}

/** Finds the last night in which a file changed. */
function computeRevision(file: number, night: number): number {
  for (let k = night; k > 1; k--) if ((file * 7 + k) % CHANGING === 0) return k
  return 1
}

function readBody(world: World, location: string, kind: FileKind, night: number): Buffer {
  const ask = { method: 'GET', path: wellKnownPaths[kind], headers: {}, body: '' }
  const answer = world.sites.get(location)?.answer(ask)
  if (answer?.kind !== 'whole') throw new Error(`${location} has no ${kind}`)
  // The first name in every file of this world ends with its revision.
  return Buffer.from(answer.body.toString().replace(/ 1"/, ` ${night}"`))
}

function read(body: Buffer, kind: FileKind, domain: string, withBytes: boolean) {
  const parsed = parseDocument(kind, body, { domain, maxFaults: limits.faultsPerDocument })
  return {
    outcome: parsed.outcome,
    status: 200,
    bytes: body.length,
    hash: hashContent(body),
    document: parsed.document,
    faults: parsed.faults,
    ...(withBytes && { body }),
  }
}
