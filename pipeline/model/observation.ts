import { z } from 'zod'
import type { Instant } from '../core/clock.ts'
import { parseDomain } from '../core/domain.ts'
import { type Outcome, outcomeNames } from '../core/outcomes.ts'
import { parseNormalizedUrl } from '../core/url.ts'
import type { DocumentOf, SourceKind } from './documents/index.ts'
import { faultCodeNames } from './fault-codes.ts'

/** The two files that are fetched for every domain of the frontier. */
export const fileKinds = ['brand.json', 'adagents.json'] as const
export type FileKind = (typeof fileKinds)[number]

/** All kinds of sources: those files, a fallback for the second, and live agents. */
export const sourceKinds = [...fileKinds, 'ads.txt', 'agent'] as const satisfies SourceKind[]

/**
 * One place on the web. `location` is a domain (the file at its well-known place) or an https URL: a
 * file that another one points to, or an agent.
 */
export const Source = z.object({ kind: z.enum(sourceKinds), location: z.string().min(1).max(2048) })
export type Source = z.infer<typeof Source>

export function toSourceKey(source: Source): string {
  return `${source.kind} ${source.location}`
}

export function isUrl(location: string): boolean {
  return location.includes('://')
}

/** Returns the domain at whose well-known place a file lies; undefined for a file at any other address. */
export function toDomain({ location }: Pick<Source, 'location'>): string | undefined {
  return isUrl(location) ? undefined : location
}

export function toUrl({ kind, location }: Source): string {
  if (isUrl(location)) return location
  return kind === 'ads.txt'
    ? `https://${location}/ads.txt`
    : `https://${location}/.well-known/${kind}`
}

const WELL_KNOWN = /^https:\/\/([^/:]+)\/\.well-known\/(brand|adagents)\.json$/

/**
 * Parses an address in a document to a source. A well-known address is that domain's file, so that
 * everybody who points there shares one fetch. Undefined unless plain https.
 */
export function parseSource(kind: SourceKind, address: string): Source | undefined {
  const url = parseNormalizedUrl(address)
  if (!url) return undefined
  if (url.protocol !== 'https:' || url.username || url.password) return undefined
  const [, host, file] = WELL_KNOWN.exec(url.href) ?? []
  const location = host !== undefined && kind === `${file}.json` ? parseDomain(host) : undefined
  return { kind, location: location ?? url.href }
}

/**
 * Prefix of every content hash; raised whenever the same bytes are parsed differently. A document
 * with another prefix is fetched again without validators.
 */
export const PARSER_VERSION = '21'

/** A file to fetch, with the validators of the last answer, if any. */
export const CrawlTarget = Source.extend({
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  /** Content hash of the stored document; the same bytes come back as `unchanged`. */
  hash: z.string().optional(),
  /** The last commit when the target was issued: the attempt began after it. */
  after_seq: z.number().int().optional(),
})
export type CrawlTarget = z.infer<typeof CrawlTarget>

/** Severities of faults, the gravest first. */
export const severities = ['error', 'warning', 'recommendation'] as const

/** A fault in a document, stored with its data. `field` is a path such as `brands[0].id`. */
export const Fault = z
  .object({
    field: z.string().describe('Path of the field in the file, such as `brands[0].id`'),
    code: z.enum(faultCodeNames).describe('Stable name of the issue, for programs'),
    message: z.string().describe('What is wrong, in a sentence that names the field'),
    severity: z
      .enum(severities)
      .describe(
        'Severity: `error` if the entry or the file cannot be used, `recommendation` if nothing is wrong, otherwise `warning`',
      ),
  })
  .meta({ id: 'Fault', description: 'What is wrong in a file, and where' })
export type Fault = z.infer<typeof Fault>

/**
 * One attempt to read one file, successful or not. The outcome `ok` comes with a `body` that differs from
 * the stored document; parsing it adds `document` and `faults`, or another outcome.
 */
export const Observation = Source.extend({
  observed_at: z.number().int(),
  outcome: z.enum(outcomeNames as [Outcome, ...Outcome[]]),
  status: z.number().int().optional(),
  /** Address of the answer, if redirects led elsewhere. */
  resolved_url: z.string().optional(),
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  retry_after_s: z.number().int().optional(),
  bytes: z.number().int().optional(),
  /** Milliseconds an agent took to list its tools. */
  took_ms: z.number().int().optional(),
  /** The parser's version and the SHA-256 of the body: `1-9f86d08…`. */
  hash: z.string().optional(),
  document: z.unknown().optional(),
  faults: z.array(Fault).optional(),
  /** Commit number from the target. */
  after_seq: z.number().int().optional(),
  /** The bytes as fetched. */
  body: z.instanceof(Uint8Array).optional(),
})
export type Observation = Omit<z.infer<typeof Observation>, 'observed_at' | 'body'> & {
  observed_at: Instant
  body?: Uint8Array | undefined
}

/** An observation with a document. */
export type Understood = Observation & {
  hash: string
  document: DocumentOf
}

export function isUnderstood(observation: Observation): observation is Understood {
  return (
    observation.outcome === 'ok' &&
    observation.hash !== undefined &&
    observation.document !== undefined
  )
}
