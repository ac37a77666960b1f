import { isoOf } from '../pipeline/core/clock.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { type CheckedFile, checkAdagents, reported } from '../pipeline/crawl/check-adagents.ts'
import type { FaultCode } from '../pipeline/model/fault-codes.ts'
import { ADAGENTS_SCHEMA } from '../pipeline/model/hosted.ts'
import type { AdagentsValidation } from '../pipeline/model/live.ts'
import type { Fault } from '../pipeline/model/observation.ts'

const FAULTS = 50

/** What a file may hold, in the order in which it is written. Nothing else is taken over. */
const catalog = [
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

/** Understood by a lenient reader, and not by every other one: no new file is written like that. */
const lax: ReadonlySet<FaultCode> = new Set(['imprecise', 'incomplete', 'repeated'])

export interface AdagentsConfig extends Record<string, unknown> {
  authorized_agents: unknown[]
  include_schema: boolean
  include_timestamp: boolean
}

/**
 * The file that this makes, as text. Everything is taken over as it was given, nothing is made up;
 * what the registry would find fault with is refused with all of its faults.
 */
export function createAdagents(
  config: AdagentsConfig,
  now: number,
): { text: string; validation: AdagentsValidation } {
  const file = fileOf(config, now)
  const text = JSON.stringify(file, null, 2)
  const { faults } = proposed(
    checkAdagents(Buffer.from(text), undefined, { now, maxFaults: FAULTS }),
  )
  const told = reported(faults)
  if (!told.valid) {
    const words = told.errors.map(({ field, message }) => `${field}: ${message}`).join('; ')
    refuse('invalid_request', words, {
      success: false,
      errors: told.errors,
      warnings: told.warnings,
      timestamp: isoOf(now),
    })
  }
  const place = { domain: 'proposed', url: 'proposed', discovery_method: 'direct' as const }
  return { text, validation: { ...told, ...place } }
}

function fileOf(config: AdagentsConfig, now: number): Record<string, unknown> {
  const file: Record<string, unknown> = { authorized_agents: config.authorized_agents }
  for (const key of catalog) if (holds(config[key])) file[key] = config[key]
  if (config.include_schema) file.$schema = ADAGENTS_SCHEMA
  if (config.include_timestamp) file.last_updated = isoOf(now)
  return file
}

function holds(value: unknown): boolean {
  if (value === undefined || value === null) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** Nobody serves it yet, so its properties need not say whose they are. */
export function proposed({ faults }: CheckedFile): { faults: Fault[] } {
  const ownerless = /^properties\[\d+\]\.publisher_domain$/
  return {
    faults: faults
      .filter(({ code, field }) => !(code === 'missing' && ownerless.test(field)))
      .map(fault => (lax.has(fault.code) ? { ...fault, severity: 'error' } : fault)),
  }
}
