import type { Source } from '../../model/observation.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import { HEAD_LENGTH } from '../../serving/document-value.ts'
import type { Reader } from '../reader.ts'
import { isInventoryCached } from './inventory.ts'

/** Largest inventory that is searched as text; a larger one is parsed, and cached on its second request. */
const TEXT_BYTES_MAX = 16 * 1024

/**
 * A publisher whose every grant covers all its properties, without time limits or terms
 * (`sellers` of `StoredInventory`).
 */
export interface PlainSales {
  /** True if a file of the publisher is known, so that a missing grant is a refusal. */
  valid: boolean
  sellers: readonly string[]
  /** Finds the id of a property, or the rid of one without an id; undefined where it is not listed. */
  findPropertyId(rid: string): string | undefined
  /** Lists the files that decide what is known of the publisher. */
  listFiles(): Source[]
}

/**
 * Reads the few members of an inventory that decide a plain sale, without parsing the rest. Undefined where
 * grants differ, and where the inventory is parsed already.
 *
 * This is the one place that searches stored JSON as text: whether an agent may sell a property is asked
 * before each bid, and parsing the inventory made a new question take a quarter more time. It relies on the
 * order in which `buildInventory` writes the members. What it searches for has quotes that no text within
 * the JSON can have.
 */
export function findPlainSales(reader: Reader, publisher: string): PlainSales | undefined {
  if (isInventoryCached(reader, publisher)) return undefined
  const value = reader.serving?.peek('inventory', publisher)
  if (value === undefined || value.length > TEXT_BYTES_MAX) return undefined
  const text = value.toString('utf8', HEAD_LENGTH, value.length)
  const sellers = sliceBetween(text, ',"sellers":', ',"discovery_method":')
  if (sellers === undefined) return undefined
  return {
    valid: sliceBetween(text, ',"valid":', ',"sellers":') === 'true',
    sellers: JSON.parse(sellers),
    findPropertyId: rid => findPropertyId(text, rid),
    listFiles: () => listFiles(text, publisher),
  }
}

function listFiles(text: string, domain: string): Source[] {
  const members = sliceBetween(text, ',"discovery_method":', ',"property_count":')
  return listPublisherFiles({ ...JSON.parse(`{"discovery_method":${members}}`), domain })
}

function findPropertyId(text: string, rid: string): string | undefined {
  const start = text.indexOf(`{"property_rid":"${rid}",`)
  if (start < 0) return undefined
  const id = sliceBetween(text, ',"property_id":', ',"property_type":', start)
  return id === undefined ? undefined : (JSON.parse(id) ?? rid)
}

/** Returns the text after one mark and before the next one. */
function sliceBetween(text: string, before: string, after: string, from = 0): string | undefined {
  const start = text.indexOf(before, from)
  if (start < 0) return undefined
  const end = text.indexOf(after, start + before.length)
  return end < 0 ? undefined : text.slice(start + before.length, end)
}
