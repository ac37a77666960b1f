import type { Instant } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { ADAGENTS_SCHEMA } from '../../pipeline/model/hosted.ts'
import type { MirrorContent } from '../../pipeline/model/mirror.ts'
import { isStorable } from '../../pipeline/model/save.ts'
import { checkAdagents, reportFaults } from '../../pipeline/parse/check-adagents.ts'
import {
  listDescribedPublishers,
  listMirroredCollections,
} from '../../pipeline/resolve/mirrored.ts'
import { adjustToNewFile } from './create-adagents.ts'

const FAULTS_SHOWN_MAX = 20
/** Lists of a catalog; a mirror has at least one that is not empty. */
const catalogLists = ['formats', 'properties', 'placements', 'collections', 'signals'] as const

/** A submitted file: a catalog, and any other members. */
export interface MirrorFile extends Record<string, unknown> {
  catalog_etag?: string | undefined
  superseded_by?: string | undefined
}

/**
 * Reads a mirror file for a platform. It contains no grants and names its schema. Refuses a file without a
 * catalog and a file with errors.
 */
export function readMirror(file: MirrorFile, now: Instant): MirrorContent {
  if (countItems(file) === 0)
    refuse('invalid_request', `body: one of ${catalogLists.join(', ')} is required`)
  if (!isStorable(file)) {
    refuse('invalid_request', 'body: must be well-formed and not nested too deeply')
  }
  const { $schema: _, authorized_agents: __, last_updated: ___, ...catalog } = file
  const document = { $schema: ADAGENTS_SCHEMA, ...catalog, authorized_agents: [] as [] }
  const bytes = Buffer.from(JSON.stringify(document))
  const checked = checkAdagents(bytes, undefined, { now, maxFaults: FAULTS_SHOWN_MAX })
  const { errors } = reportFaults(adjustToNewFile(checked).faults)
  const { document: parsed } = checked
  if (errors.length > 0 || parsed?.variant !== 'inline') {
    const [first] = errors
    const text = first?.message ?? 'body: is not a catalog'
    refuse('invalid_request', text, { details: errors.slice(0, FAULTS_SHOWN_MAX) })
  }
  const { catalog_etag = null, superseded_by = null } = file
  return {
    document,
    catalog_etag,
    superseded_by,
    publisher_domains: listDescribedPublishers(parsed),
    collections: listMirroredCollections(parsed),
  }
}

/** Counts the entries in the lists of a file. */
export function countItems(file: MirrorFile): number {
  return catalogLists.reduce((sum, name) => {
    const list = file[name]
    return sum + (Array.isArray(list) ? list.length : 0)
  }, 0)
}
