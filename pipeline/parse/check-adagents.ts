import type { Instant } from '../core/clock.ts'
import { AnyAdagentsFile, adagentsFiles } from '../model/adagents-file/adagents-file.ts'
import type { AdagentsDocument } from '../model/documents/index.ts'
import type { AdagentsCounts } from '../model/live/live.ts'
import type { Fault } from '../model/observation.ts'
import type { ReportedFault } from '../model/reported-fault.ts'
import { addAdvice } from './adagents-advice.ts'
import { parseAdagents } from './adagents-json.ts'
import { describeRepair } from './fault-repair.ts'
import { Faults } from './faults.ts'
import { addFormatFaults } from './file-format.ts'
import { warnOfFuture } from './future-times.ts'
import { reportMisspelled } from './misspelled-members.ts'
import { isObject, type JsonObject, ObjectReader } from './object-reader.ts'
import { readJson, readWritten } from './read-json.ts'

/** Matches the places of entries in which every unknown member is reported. */
const ENTRY =
  /^(?:authorized_agents|properties)\[\d+\](?:\.(?:properties|publisher_properties)\[\d+\])?$/

export interface CheckedFile {
  /** The file as JSON, as `readJson` sanitizes it; absent if it is not a JSON object. */
  root?: JsonObject
  /** Absent if the file has no known content. */
  document?: AdagentsDocument
  faults: Fault[]
}

interface CheckOptions {
  now: Instant
  maxFaults: number
  /** True for a file that is not served yet, in which all that the format forbids is an error. */
  isNew?: boolean
  /** True for a file that may point to another one, although the domain that serves it is not known. */
  mayPoint?: boolean
}

/**
 * Checks the bytes of an adagents.json like the crawler, and adds advice for its maintainer. `domain`
 * serves it; undefined for the target of a pointer.
 */
export function checkAdagents(
  bytes: Uint8Array,
  domain: string | undefined,
  { now, maxFaults, isNew = false, mayPoint = domain !== undefined }: CheckOptions,
): CheckedFile {
  const faults = new Faults(maxFaults)
  const read = readJson(bytes, faults)
  if (read.outcome !== 'ok') return { faults: faults.list() }
  const document = parseAdagents(new ObjectReader(read.root, '', faults), domain, mayPoint)
  const written = readWritten(bytes)
  warnOfFuture(document, now, faults)
  if (document?.variant === 'inline') addAdvice(document, { domain, now, faults })
  if (document) {
    const severity = isNew ? 'error' : 'warning'
    addFormatFaults(faults, adagentsFiles[document.variant], written, severity)
  }
  reportMisspelled(faults, AnyAdagentsFile, written, ENTRY)
  return { root: read.root, ...(document && { document }), faults: faults.list() }
}

/** Matches messages that are complete sentences; all others begin with the verb. */
const HAS_SUBJECT = /^(?:an|the|there|this|redirects|robots\.txt|\d+ more) /

/** Makes a message a sentence: its field is the subject, since many clients print the message alone. */
export function toSentence({ field, message }: Pick<Fault, 'field' | 'message'>): string {
  if (HAS_SUBJECT.test(message)) return message
  return `${field === 'root' || field === 'json' ? 'the file' : field} ${message}`
}

/** Reports faults in the form of the API, errors apart from all others. */
export function reportFaults(faults: readonly Fault[]): {
  valid: boolean
  errors: ReportedFault[]
  warnings: ReportedFault[]
} {
  const reported = faults.map(fault => ({
    ...fault,
    message: toSentence(fault),
    suggestion: describeRepair(fault),
  }))
  const errors = reported.filter(({ severity }) => severity === 'error')
  const warnings = reported.filter(({ severity }) => severity !== 'error')
  return { valid: errors.length === 0, errors, warnings }
}

/** Counts the items as written, valid or not, to be compared with what the maintainer meant to publish. */
export function countEntries(root: JsonObject | undefined): AdagentsCounts {
  const properties = toArray(root?.properties)
  const types = new Map<string, number>()
  for (const property of properties) {
    const type = isObject(property) ? property.property_type : undefined
    const name = typeof type === 'string' && /^[a-z_]{1,64}$/.test(type) ? type : 'unknown'
    types.set(name, (types.get(name) ?? 0) + 1)
  }
  return {
    agent_count: toArray(root?.authorized_agents).length,
    property_count: properties.length,
    property_type_counts: Object.fromEntries(types),
    tag_count: isObject(root?.tags) ? Object.keys(root.tags).length : 0,
  }
}

function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
