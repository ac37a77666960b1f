import type { Instant } from '../pipeline/core/clock.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { checkAdagents, reported } from '../pipeline/crawl/check-adagents.ts'
import { ADAGENTS_SCHEMA } from '../pipeline/model/hosted.ts'
import type { MirrorContent } from '../pipeline/model/mirror.ts'
import { isStorable } from '../pipeline/model/save.ts'
import { describedPublishers, mirroredCollections } from '../pipeline/resolve/mirrored.ts'
import { proposed } from './create-adagents.ts'

const FAULTS = 20
const parts = ['formats', 'properties', 'placements', 'collections', 'signals'] as const

/** A file as it is handed in: a catalog, and whatever else. */
export interface MirrorFile extends Record<string, unknown> {
  catalog_etag?: string | undefined
  superseded_by?: string | undefined
}

/**
 * What is kept of a file for a platform: all of it, but it authorizes nobody, and says which schema
 * it follows. Refuses what holds no catalog, and what a reader would find fault with.
 */
export function readMirror(file: MirrorFile, now: Instant): MirrorContent {
  if (itemsOf(file) === 0) refuse('invalid_request', `body: one of ${parts.join(', ')} is needed`)
  if (!isStorable(file)) {
    refuse('invalid_request', 'body: must be well-formed and not nested deeply')
  }
  const { $schema: _, authorized_agents: __, last_updated: ___, ...catalog } = file
  const document = { $schema: ADAGENTS_SCHEMA, ...catalog, authorized_agents: [] as [] }
  const bytes = Buffer.from(JSON.stringify(document))
  const checked = checkAdagents(bytes, undefined, { now, maxFaults: FAULTS })
  const { errors } = reported(proposed(checked).faults)
  const { document: understood } = checked
  if (errors.length > 0 || understood?.variant !== 'inline') {
    const [first] = errors
    const text = first ? `${first.field}: ${first.message}` : 'body: is no catalog'
    refuse('invalid_request', text, { details: errors.slice(0, FAULTS) })
  }
  const { catalog_etag = null, superseded_by = null } = file
  return {
    ...{ document, catalog_etag, superseded_by },
    publisher_domains: describedPublishers(understood),
    collections: mirroredCollections(understood),
  }
}

/** How many entries the lists of a file have. */
export function itemsOf(file: MirrorFile): number {
  return parts.reduce((sum, part) => {
    const list = file[part]
    return sum + (Array.isArray(list) ? list.length : 0)
  }, 0)
}
