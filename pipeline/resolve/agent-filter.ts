import type { SupportedFormat } from '../model/answers-agents.ts'
import type { MeasurementCapabilities } from '../model/documents.ts'

type MetricFacts = MeasurementCapabilities['metrics'][number]

/** What a metric must be: each list is satisfied by any of its values, an empty one by every metric. */
export interface MetricWanted {
  metric_ids: readonly string[]
  accreditations: readonly string[]
  /** Part of the metric's id, whatever the case. */
  q: string | undefined
}

/** Whether a list of agents is cut down to measurement agents by these. */
export function wantsMetrics({ metric_ids, accreditations, q }: MetricWanted): boolean {
  return metric_ids.length > 0 || accreditations.length > 0 || q !== undefined
}

/**
 * Whether one metric is all that is wanted: an accreditation of another metric of the same agent
 * says nothing of this one.
 */
export function hasMetric(metrics: readonly MetricFacts[], wanted: MetricWanted): boolean {
  const ids = new Set(wanted.metric_ids)
  const bodies = new Set(wanted.accreditations)
  const part = wanted.q?.toLowerCase()
  return metrics.some(
    ({ metric_id, accreditations = [] }) =>
      (ids.size === 0 || ids.has(metric_id)) &&
      (bodies.size === 0 ||
        accreditations.some(({ accrediting_body }) => bodies.has(accrediting_body))) &&
      (part === undefined || metric_id.toLowerCase().includes(part)),
  )
}

/** What a format must be; what is not said does not matter. */
export interface FormatWanted {
  format_kinds: readonly string[]
  creative_operations: readonly string[]
  publisher_domain: string | undefined
  format_option_id: string | undefined
  capability_id: string | undefined
}

export function wantsFormats(wanted: FormatWanted): boolean {
  return (
    wanted.format_kinds.length > 0 ||
    wanted.creative_operations.length > 0 ||
    wanted.publisher_domain !== undefined ||
    wanted.format_option_id !== undefined ||
    wanted.capability_id !== undefined
  )
}

/** Whether one entry of what an agent supports is all that is wanted. */
export function hasFormat(formats: readonly SupportedFormat[], wanted: FormatWanted): boolean {
  const { format_kinds, creative_operations } = wanted
  const isThat = (asked: string | undefined, found: string | undefined) =>
    asked === undefined || asked === found
  return formats.some(
    ({ capability_id, format, operations }) =>
      (format_kinds.length === 0 || format_kinds.includes(format.format_kind)) &&
      (creative_operations.length === 0 ||
        operations.some(operation => creative_operations.includes(operation))) &&
      isThat(wanted.publisher_domain?.toLowerCase(), format.publisher_domain?.toLowerCase()) &&
      isThat(wanted.format_option_id, format.format_option_id) &&
      isThat(wanted.capability_id, capability_id),
  )
}
