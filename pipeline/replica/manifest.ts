import { createHash } from 'node:crypto'
import { z } from 'zod'
import { SearchCheckpoint } from '../search/checkpoint.ts'
import { Checkpoint } from '../store/checkpoint.ts'

/** Name of the one file that is replaced, always last. */
export const MANIFEST = 'manifest.json'
/** Version of the manifest and of the form of its files. */
export const MANIFEST_FORMAT = 3
/** Folder of the files that a manifest names, beside it. */
export const FILES = 'files'
/** Largest manifest that a replica reads. */
export const MANIFEST_BYTES_MAX = 4 * 1024 * 1024

/** Name of a published file: the hash of its content, and its kind. */
export const FILE_NAME = /^[0-9a-f]{64}\.(mdb|segment|duckdb|search|parquet|ndjson)$/
export type FileKind = 'mdb' | 'segment' | 'duckdb' | 'search' | 'parquet' | 'ndjson'

export const PublishedFile = z.object({
  name: z.string().regex(FILE_NAME),
  bytes: z.int().nonnegative(),
})
export type PublishedFile = z.infer<typeof PublishedFile>

/** Commits in a row, with the places of the first and the last in the chain. */
export const Segment = PublishedFile.extend({ from: z.int(), to: z.int() })
export type Segment = z.infer<typeof Segment>

/** A file for analysts, with the path that it has below DATA_DIR. */
const NamedFile = PublishedFile.extend({ path: z.string() })
export type NamedFile = z.infer<typeof NamedFile>

/**
 * Everything that is published, as of one commit. What it names never changes, so a manifest and its files
 * can be mirrored by anything that copies files.
 */
export const PublishedManifest = z.object({
  format: z.literal(MANIFEST_FORMAT),
  /** Version of the keys and values of base and segments. */
  serving_format: z.int(),
  /** Key spaces in the order of their numbers in segments. */
  spaces: z.array(z.string()),
  made_at: z.iso.datetime(),
  seq: z.int(),
  /** Commits are numbered within a chain; where it is another one, a replica starts over. */
  chain: z.string().min(1),
  position: z.int(),
  /**
   * The serving store of a replica as of a place in the chain, ready to be opened by machines that order the
   * bytes of numbers like this one.
   */
  base: PublishedFile.extend({ position: z.int(), byte_order: z.enum(['LE', 'BE']) }),
  /** The commits after it, and some before it, in their order. */
  segments: z.array(Segment),
  snapshot: PublishedFile.extend({ checkpoint: Checkpoint }).exactOptional(),
  search: PublishedFile.extend({ checkpoint: SearchCheckpoint }).exactOptional(),
  /** Signed head of the log of events, whose files lie in `log/`. */
  log: z.string().exactOptional(),
  /** Public address of the registry, where it has set one: there writes are accepted. */
  base_url: z.url({ protocol: /^https?$/ }).exactOptional(),
  parquet: z.array(NamedFile),
  events: z.array(NamedFile),
  /** Signature of all of this by the key of the log, where there is one (`manifest-signature.ts`). */
  signature: z.string().exactOptional(),
})
export type PublishedManifest = z.infer<typeof PublishedManifest>

/** Lists the files that a manifest names. */
export function listPublishedFiles(
  manifest: Omit<PublishedManifest, 'made_at' | 'signature'>,
): PublishedFile[] {
  const { base, segments, snapshot, search, parquet, events } = manifest
  const current = [snapshot, search].filter(file => file !== undefined)
  return [base, ...segments, ...current, ...parquet, ...events]
}

/**
 * Says which commits a manifest lacks, if base and segments do not lead to its position without a gap:
 * a replica that followed it would believe itself complete.
 */
export function findMissingCommits({
  base,
  segments,
  position,
}: Pick<PublishedManifest, 'base' | 'segments' | 'position'>): string | undefined {
  const describe = (from: number, to: number) => `the commits ${from} to ${to} are missing`
  let reached = segments[0] === undefined ? base.position : segments[0].from - 1
  if (reached > base.position) return describe(base.position + 1, reached)
  for (const { from, to } of segments) {
    if (from !== reached + 1 || to < from)
      return `after ${reached} come the commits ${from} to ${to}`
    reached = to
  }
  return position > reached ? describe(reached + 1, position) : undefined
}

export function getHash({ name }: PublishedFile): string {
  return name.slice(0, 64)
}

export function nameContent(content: Uint8Array, kind: FileKind): string {
  return `${createHash('sha256').update(content).digest('hex')}.${kind}`
}
