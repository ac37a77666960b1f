import { z } from 'zod'
import { CollectionEntry } from './documents/index.ts'
import { Editor } from './save.ts'

/** Id of a platform that publishes no file of its own. */
export const Platform = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be at most 64 letters, digits, - and _')

/** A mirrored collection and its owner. */
export const MirroredCollection = z.object({ publisher_domain: z.string(), entry: CollectionEntry })
export type MirroredCollection = z.infer<typeof MirroredCollection>

/** A file that the registry hosts for a platform: as served, and as parsed. */
export const MirrorContent = z.object({
  /** The file without the time of its last change; it contains no grants. */
  document: z.looseObject({ authorized_agents: z.tuple([]) }),
  catalog_etag: z.string().nullable(),
  superseded_by: z.string().nullable(),
  publisher_domains: z.array(z.string()),
  collections: z.array(MirroredCollection),
})
export type MirrorContent = z.infer<typeof MirrorContent>

/** Operations on mirrors. */
export const mirrorOperations = [
  z.object({
    op: z.literal('mirror.publish'),
    platform: Platform,
    content: MirrorContent,
    editor: Editor,
  }),
  z.object({
    op: z.literal('mirror.propose'),
    platform: Platform,
    content: MirrorContent,
    editor: Editor.extend({ org_id: z.string() }),
    /** Id of the review, unless the organization has a pending one for this platform. */
    review_id: z.uuid(),
  }),
  z.object({
    op: z.literal('mirror.remove'),
    platform: Platform,
    /** Removes it even if nothing supersedes it. */
    force: z.boolean(),
  }),
] as const

/** Payload of a mirror review. */
export interface MirrorProposal extends MirrorContent {
  /** Digest of the mirror that it is based on; null if there was none. */
  base_digest: string | null
}

/** A mirror as the serving store holds it. */
export interface StoredMirror {
  platform: string
  catalog_etag: string | null
  superseded_by: string | null
  adagents_json: Record<string, unknown>
  /** SHA-256 of the file without its time. */
  digest: string
  publisher_domains: string[]
  created_at: string
  updated_at: string
}
