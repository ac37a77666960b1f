import type { Source } from '../../model/observation.ts'
import { listPublisherFiles } from '../../resolve/deciding-files.ts'
import { HEAD_LENGTH } from '../../serving/document-value.ts'
import type { Reader } from '../reader.ts'
import { isInventoryCached } from './inventory.ts'

/**
 * Maximum size of an inventory that is read without being parsed; a longer one is parsed, and cached on its
 * second request.
 */
const SHORT = 16 * 1024

/**
 * A publisher whose every grant covers all its properties, without time limits or terms, so that
 * little of it must be read (`sellers` of `StoredInventory`).
 */
export interface PlainSales {
  /** Some file of it is known, so that its silence says something. */
  valid: boolean
  sellers: readonly string[]
  /** Finds the property of a rid; undefined where a full lookup is needed. */
  property(rid: string): PlainProperty | undefined
  /** Returns the files that decide what is known of a property. */
  files(): Source[]
}

/** A property as the JSON of its parts. */
export interface PlainProperty {
  /** The id, or the rid of one that has none. */
  id: string
  /** Its type, name, identifiers and tags, as members. */
  members: string
}

/**
 * Looks at the text of an inventory where that tells enough and it was not parsed already. Its members are searched for as
 * `buildInventory` orders them: what they are searched by has quotes that no text within it can have.
 */
export function findPlainSales(reader: Reader, publisher: string): PlainSales | undefined {
  if (isInventoryCached(reader, publisher)) return undefined
  const value = reader.serving?.peek('inventory', publisher)
  if (value === undefined || value.length > SHORT) return undefined
  const text = value.toString('utf8', HEAD_LENGTH, value.length)
  const sellers = sliceBetween(text, ',"sellers":', ',"discovery_method":')
  if (sellers === undefined) return undefined
  return {
    valid: sliceBetween(text, ',"valid":', ',"sellers":') === 'true',
    sellers: JSON.parse(sellers),
    property: rid => readProperty(text, rid),
    files: () => readFiles(text, publisher),
  }
}

function readFiles(text: string, domain: string): Source[] {
  const members = sliceBetween(text, ',"discovery_method":', ',"property_count":')
  return listPublisherFiles({ ...JSON.parse(`{"discovery_method":${members}}`), domain })
}

function readProperty(text: string, rid: string): PlainProperty | undefined {
  const start = text.indexOf(`{"property_rid":"${rid}",`)
  if (start < 0) return undefined
  const id = sliceBetween(text, ',"property_id":', ',"property_type":', start)
  const members = sliceBetween(text, ',"property_type":', ',"status":', start)
  if (id === undefined || members === undefined) return undefined
  return { id: id === 'null' ? `"${rid}"` : id, members: `"property_type":${members}` }
}

function sliceBetween(text: string, before: string, after: string, from = 0): string | undefined {
  const start = text.indexOf(before, from)
  if (start < 0) return undefined
  const end = text.indexOf(after, start + before.length)
  return end < 0 ? undefined : text.slice(start + before.length, end)
}
