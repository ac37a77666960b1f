import { z } from 'zod'
import { getFirst } from '../core/present.ts'
import { parseUrl } from '../core/url.ts'
import type { MeasurementCapabilities } from '../model/documents/index.ts'
import { stripControls } from '../parse/clip.ts'
import type { ObjectReader } from '../parse/object-reader.ts'

const METRICS_MAX = 500
const ACCREDITATIONS_MAX = 32
const URL_CHARS_MAX = 2_048

/** Markup, and addresses or attributes that run scripts when a page shows them. */
const SCRIPT_LIKE =
  /<\s*[/!?]?\s*[a-z]|(?:java|vb)script\s*:|data\s*:\s*text\/html|\bon(?:error|load|click|focus|blur|toggle|mouse\w+|key\w+|pointer\w+)\s*=/i

const clean = (maxChars: number) =>
  z
    .string()
    .max(maxChars * 2)
    .transform(stripControls)
    .pipe(
      z
        .string()
        .min(1, 'is empty')
        .max(maxChars, `is longer than ${maxChars} characters`)
        .refine(text => !SCRIPT_LIKE.test(text), 'contains something like a script'),
    )

const address = clean(URL_CHARS_MAX).refine(isHttps, 'must be an https URL')

const Accreditation = z
  .object({
    accrediting_body: clean(128),
    certification_id: clean(256).exactOptional(),
    valid_until: z.iso.date('must be a date such as 2026-01-31').exactOptional(),
    evidence_url: address.exactOptional(),
  })
  .transform(read => ({ ...read, verified_by_aao: false as const }))

const Metric = z.object({
  metric_id: clean(256),
  standard_reference: address.exactOptional(),
  accreditations: z.array(Accreditation).max(ACCREDITATIONS_MAX).exactOptional(),
  unit: clean(64).exactOptional(),
  description: clean(2_000).exactOptional(),
  methodology_url: address.exactOptional(),
  methodology_version: clean(64).exactOptional(),
})

const Block = z.object({
  metrics: z
    .array(Metric)
    .min(1)
    .max(METRICS_MAX, `lists more than ${METRICS_MAX} metrics`)
    .refine(hasUniqueIds, 'contains a metric twice'),
})

/**
 * Reads the measurement block, all of it or nothing: one broken rule drops the block, since it is shown
 * as a catalogue. Claims of being verified are not read.
 */
export function readMeasurement(part: ObjectReader): MeasurementCapabilities | undefined {
  if (!part.has('measurement')) return undefined
  const read = Block.safeParse(part.value.measurement)
  if (read.success) return read.data
  const { path, message } = getFirst(read.error.issues)
  const where = ['measurement', ...path.map(String)].join('.')
  part.error(
    where,
    'refused_answer',
    `${message}: the whole block is left out until it is repaired`,
  )
  return undefined
}

function isHttps(text: string): boolean {
  const url = parseUrl(text)
  return url?.protocol === 'https:' && !url.username && !url.password
}

function hasUniqueIds(metrics: { metric_id: string }[]): boolean {
  return new Set(metrics.map(({ metric_id }) => metric_id)).size === metrics.length
}
