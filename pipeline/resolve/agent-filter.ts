import type { MeasurementCapabilities } from '../model/documents/index.ts'
import type { SupportedFormat } from '../model/responses/agents.ts'

type MetricFacts = MeasurementCapabilities['metrics'][number]

/**
 * Conditions on a metric: any value of a list satisfies it, an empty list is satisfied by every metric.
 */
export interface MetricConditions {
  metric_ids: readonly string[]
  accreditations: readonly string[]
  /** Part of the metric's id, whatever the case. */
  q: string | undefined
}

/** Tells whether these conditions restrict a list to measurement agents. */
export function hasMetricConditions({ metric_ids, accreditations, q }: MetricConditions): boolean {
  return metric_ids.length > 0 || accreditations.length > 0 || q !== undefined
}

/**
 * Tells whether one metric satisfies all conditions: an accreditation of another metric does not count.
 */
export function hasMetric(metrics: readonly MetricFacts[], conditions: MetricConditions): boolean {
  const ids = new Set(conditions.metric_ids)
  const bodies = new Set(conditions.accreditations)
  const part = conditions.q?.toLowerCase()
  return metrics.some(
    ({ metric_id, accreditations = [] }) =>
      (ids.size === 0 || ids.has(metric_id)) &&
      (bodies.size === 0 ||
        accreditations.some(({ accrediting_body }) => bodies.has(accrediting_body))) &&
      (part === undefined || metric_id.toLowerCase().includes(part)),
  )
}

/** Conditions on a format; those left out do not matter. */
export interface FormatConditions {
  format_kinds: readonly string[]
  creative_operations: readonly string[]
  publisher_domain: string | undefined
  format_option_id: string | undefined
  capability_id: string | undefined
}

export function hasFormatConditions(conditions: FormatConditions): boolean {
  return (
    conditions.format_kinds.length > 0 ||
    conditions.creative_operations.length > 0 ||
    conditions.publisher_domain !== undefined ||
    conditions.format_option_id !== undefined ||
    conditions.capability_id !== undefined
  )
}

/** Tells whether one supported format satisfies all conditions. */
export function hasFormat(
  formats: readonly SupportedFormat[],
  conditions: FormatConditions,
): boolean {
  const { format_kinds, creative_operations } = conditions
  const isRequested = (requested: string | undefined, found: string | undefined) =>
    requested === undefined || requested === found
  return formats.some(
    ({ capability_id, format, operations }) =>
      (format_kinds.length === 0 || format_kinds.includes(format.format_kind)) &&
      (creative_operations.length === 0 ||
        operations.some(operation => creative_operations.includes(operation))) &&
      isRequested(
        conditions.publisher_domain?.toLowerCase(),
        format.publisher_domain?.toLowerCase(),
      ) &&
      isRequested(conditions.format_option_id, format.format_option_id) &&
      isRequested(conditions.capability_id, capability_id),
  )
}
