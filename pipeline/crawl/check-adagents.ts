import type { Instant } from '../core/clock.ts'
import type { AdagentsDocument } from '../model/documents.ts'
import { faultCodes } from '../model/fault-codes.ts'
import type { AdagentsCounts } from '../model/live.ts'
import type { Fault } from '../model/observation.ts'
import type { ReportedFault } from '../model/reported-fault.ts'
import { adviseOn } from './adagents-advice.ts'
import { parseAdagents } from './adagents-json.ts'
import { Faults } from './faults.ts'
import { isObject, type JsonObject, Part } from './part.ts'
import { readJson } from './read-json.ts'

export interface CheckedFile {
  /** The file as JSON, tidied; absent when it is none. */
  root?: JsonObject
  /** Absent when the file says nothing known. */
  document?: AdagentsDocument
  faults: Fault[]
}

/**
 * The bytes of an adagents.json as the crawler reads them, with advice for whoever looks after the
 * file. `domain` serves it; undefined for a file that others point to.
 */
export function checkAdagents(
  bytes: Uint8Array,
  domain: string | undefined,
  { now, maxFaults }: { now: Instant; maxFaults: number },
): CheckedFile {
  const faults = new Faults(maxFaults)
  const read = readJson(bytes, faults)
  if (read.outcome !== 'ok') return { faults: faults.list() }
  const document = parseAdagents(new Part(read.root, '', faults), domain)
  if (document?.variant === 'inline') adviseOn(document, now, faults)
  return { root: read.root, ...(document && { document }), faults: faults.list() }
}

/** Faults as people are told them, what is wrong apart from what could be better. */
export function reported(faults: readonly Fault[]): {
  valid: boolean
  errors: ReportedFault[]
  warnings: ReportedFault[]
} {
  const told = faults.map(fault => ({ ...fault, suggestion: faultCodes[fault.code].repair }))
  const errors = told.filter(({ severity }) => severity === 'error')
  const warnings = told.filter(({ severity }) => severity === 'warning')
  return { valid: errors.length === 0, errors, warnings }
}

/** Counts that people compare with what they meant to publish. */
export function countsOf(root: JsonObject | undefined): AdagentsCounts {
  const properties = listOf(root?.properties)
  const types = new Map<string, number>()
  for (const property of properties) {
    const type = isObject(property) ? property.property_type : undefined
    const name = typeof type === 'string' && /^[a-z_]{1,64}$/.test(type) ? type : 'unknown'
    types.set(name, (types.get(name) ?? 0) + 1)
  }
  return {
    agent_count: listOf(root?.authorized_agents).length,
    property_count: properties.length,
    property_type_counts: Object.fromEntries(types),
    tag_count: isObject(root?.tags) ? Object.keys(root.tags).length : 0,
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
