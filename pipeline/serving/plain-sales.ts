import type { Source } from '../model/observation.ts'
import { listPublisherFiles } from '../resolve/deciding-files.ts'

/** Sales of a publisher whose every grant covers all its properties, without time limits or terms. */
export interface PlainSales {
  /** True if the publisher's file is valid, so that a missing grant is a refusal. */
  valid: boolean
  /** Agents with a grant (`sellers` of `StoredInventory`). */
  sellers: readonly string[]
  /** Finds the id of a property, or its rid if it has no id; undefined if it is not listed. */
  findPropertyId(rid: string): string | undefined
  /** Lists the files that decide what is known of the publisher. */
  listFiles(): Source[]
}

/**
 * Reads the members of a stored inventory that decide a plain sale, without parsing the rest of its JSON.
 * Undefined if grants differ, so that the inventory has no `sellers`.
 *
 * This file is the one place that searches stored JSON as text: whether an agent can sell a property is asked
 * before each bid, and parsing the inventory made a new question take a quarter more time. It relies on the
 * order in which `buildInventory` writes the members. What it searches for has quotes that no text within the
 * JSON can have, since they are escaped there.
 */
export function readPlainSales(json: string, publisher: string): PlainSales | undefined {
  const sellers = sliceBetween(json, ',"sellers":', ',"discovery_method":')
  if (sellers === undefined) return undefined
  return {
    valid: sliceBetween(json, ',"valid":', ',"sellers":') === 'true',
    sellers: JSON.parse(sellers),
    findPropertyId: rid => findPropertyId(json, rid),
    listFiles: () => listFiles(json, publisher),
  }
}

const limits = ['countries', 'collections', 'placement_ids', 'placement_tags'].map(name =>
  Buffer.from(`"${name}":[`),
)

/** Tells whether any grant of a stored inventory is limited to countries, collections or placements, by its bytes. */
export function hasLimitedGrants(stored: Buffer): boolean {
  return limits.some(limit => stored.includes(limit))
}

/** Tells whether any property of a stored inventory is stale, by its bytes. */
export function hasStaleProperties(stored: Buffer): boolean {
  return stored.includes('"status":"stale"')
}

function listFiles(json: string, domain: string): Source[] {
  const members = sliceBetween(json, ',"discovery_method":', ',"property_count":')
  return listPublisherFiles({ ...JSON.parse(`{"discovery_method":${members}}`), domain })
}

function findPropertyId(json: string, rid: string): string | undefined {
  const start = json.indexOf(`{"property_rid":"${rid}",`)
  if (start < 0) return undefined
  const id = sliceBetween(json, ',"property_id":', ',"property_type":', start)
  return id === undefined ? undefined : (JSON.parse(id) ?? rid)
}

/** Returns the text after one mark and before the next one. */
function sliceBetween(text: string, before: string, after: string, from = 0): string | undefined {
  const start = text.indexOf(before, from)
  if (start < 0) return undefined
  const end = text.indexOf(after, start + before.length)
  return end < 0 ? undefined : text.slice(start + before.length, end)
}
