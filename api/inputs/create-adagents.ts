import { toIso } from '../../pipeline/core/clock.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { AdagentsFile } from '../../pipeline/model/adagents-file/adagents-file.ts'
import type { FaultCode } from '../../pipeline/model/fault-codes.ts'
import { ADAGENTS_SCHEMA } from '../../pipeline/model/hosted.ts'
import type { AdagentsValidation } from '../../pipeline/model/live/live.ts'
import type { Fault } from '../../pipeline/model/observation.ts'
import {
  type CheckedFile,
  checkAdagents,
  reportFaults,
} from '../../pipeline/parse/check-adagents.ts'
import { Faults } from '../../pipeline/parse/faults.ts'
import { reportMisspelled } from '../../pipeline/parse/misspelled-members.ts'

const FAULTS_SHOWN_MAX = 50

/** Members that a file may have, in the order in which they are written. Everything else is dropped. */
const members = [
  'contact',
  'properties',
  'collections',
  'catalog_etag',
  'catalog_role',
  'formats',
  'placements',
  'signals',
  'tags',
  'placement_tags',
  'signal_tags',
  'property_features',
  'revoked_publisher_domains',
] as const

/** Warnings of the lenient reader that are errors of a new file, since other readers may not understand it. */
const warningsRaised: ReadonlySet<FaultCode> = new Set(['imprecise', 'incomplete', 'repeated'])

export interface AdagentsConfig extends Record<string, unknown> {
  authorized_agents: unknown[]
  include_schema: boolean
  include_timestamp: boolean
}

/** Creates a file as text from the given members. Refuses members with errors, and lists all of these. */
export function createAdagents(
  config: AdagentsConfig,
  now: number,
): { text: string; validation: AdagentsValidation } {
  const file = buildFile(config, now)
  const text = JSON.stringify(file, null, 2)
  const checked = checkAdagents(Buffer.from(text), undefined, {
    now,
    maxFaults: FAULTS_SHOWN_MAX,
    isNew: true,
  })
  const report = reportFaults([...adjustToNewFile(checked).faults, ...listLeftOut(config)])
  if (!report.valid) {
    const refusal = report.errors.map(({ message }) => message).join('; ')
    refuse('invalid_request', refusal, {
      success: false,
      errors: report.errors,
      warnings: report.warnings,
      timestamp: toIso(now),
    })
  }
  const origin = { domain: 'proposed', url: 'proposed', discovery_method: 'direct' as const }
  return { text, validation: { ...report, ...origin } }
}

function buildFile(config: AdagentsConfig, now: number): Record<string, unknown> {
  const file: Record<string, unknown> = { authorized_agents: config.authorized_agents }
  for (const key of members) if (hasContent(config[key])) file[key] = config[key]
  if (config.include_schema) file.$schema = ADAGENTS_SCHEMA
  if (config.include_timestamp) file.last_updated = toIso(now)
  return file
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/**
 * Adjusts the faults of a file to one that is not served yet: its properties need not name their publisher, and
 * forms that only a lenient reader understands are errors.
 */
export function adjustToNewFile({ faults }: CheckedFile): { faults: Fault[] } {
  const ownerField = /^properties\[\d+\]\.publisher_domain$/
  return {
    faults: faults
      .filter(({ code, field }) => !(code === 'missing' && ownerField.test(field)))
      .map(fault => (warningsRaised.has(fault.code) ? { ...fault, severity: 'error' } : fault)),
  }
}

/** Lists the members that are left out of the file, and nearly have the name of one that belongs there. */
function listLeftOut(config: AdagentsConfig): Fault[] {
  const faults = new Faults(FAULTS_SHOWN_MAX)
  reportMisspelled(faults, AdagentsFile, config)
  return faults.list().filter(({ field }) => Object.hasOwn(config, field))
}
