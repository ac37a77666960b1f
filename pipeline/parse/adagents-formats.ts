import type { AcceptedLists } from './accepted-items.ts'
import { quote } from './faults.ts'
import type { ObjectReader } from './object-reader.ts'
import { proposeNearest } from './suggestions.ts'

const ROLE = 'community_format_registry'

/** Checks the formats that a file declares, and how its placements refer to them. Only reports. */
export function checkFormats(root: ObjectReader, accepted: AcceptedLists): void {
  const ids = new Set<string>()
  for (const format of accepted.formats) checkFormat(format, ids)
  if (accepted.formats.some(format => format.has('reference_renderer')))
    checkRenderers(root, accepted)
  for (const { part } of accepted.placements) checkPlacement(part, ids)
}

function checkFormat(format: ObjectReader, ids: Set<string>): void {
  if (format.has('capability_id')) {
    format.error('capability_id', 'misplaced', 'belongs to a product, not to a file: remove it')
  }
  const id = format.text('format_option_id')
  if (id === undefined) {
    if (!format.has('format_option_id')) {
      format.warn(
        'format_option_id',
        'missing',
        'is missing, so placements cannot refer to this format: give it an id of its own',
      )
    }
  } else if (ids.has(id)) format.warn('format_option_id', 'repeated', `repeats ${quote(id)}`)
  else ids.add(id)
}

function checkRenderers(root: ObjectReader, accepted: AcceptedLists): void {
  for (const [key, rule] of [
    ['catalog_etag', 'name the version of the catalog'],
    ['catalog_role', `write ${quote(ROLE)}`],
  ] as const) {
    if (!root.has(key))
      root.error(
        key,
        'missing',
        `is missing, and a format with a reference_renderer needs it: ${rule}`,
      )
  }
  if (root.has('catalog_role') && root.value.catalog_role !== ROLE) {
    root.error('catalog_role', 'not_allowed', `must be ${quote(ROLE)}`)
  }
  for (const format of accepted.formats) {
    if (!format.has('reference_renderer')) continue
    const renderer = format.part('reference_renderer')
    const revision = renderer?.value.format_revision
    if (renderer && (revision === undefined || revision !== format.value.format_revision)) {
      renderer.error(
        'format_revision',
        'missing',
        'must be the same as the format_revision of its format',
      )
    }
  }
}

function checkPlacement(placement: ObjectReader, formats: ReadonlySet<string>): void {
  const own = new Set<string>()
  for (const option of placement.parts('format_options')) {
    if (option.has('capability_id')) {
      option.error('capability_id', 'misplaced', 'belongs to a product, not to a file: remove it')
    }
    const id = option.text('format_option_id')
    if (id === undefined) continue
    own.add(id)
    if (!option.has('format_kind') && !formats.has(id)) {
      option.error(
        'format_option_id',
        'unresolved',
        `is ${quote(id)}, which is not among the formats in this file${proposeNearest(id, formats)}`,
      )
    }
  }
  if (placement.has('preview_provider')) checkRoutes(placement, own)
}

function checkRoutes(placement: ObjectReader, options: ReadonlySet<string>): void {
  const routed = new Set<string>()
  for (const route of placement.part('preview_provider')?.parts('routes') ?? []) {
    const id = route.text('format_option_id')
    if (id === undefined) continue
    if (!options.has(id)) {
      route.error(
        'format_option_id',
        'unresolved',
        `is ${quote(id)}, which is no format of this placement${proposeNearest(id, options)}`,
      )
    } else if (routed.has(id)) route.error('format_option_id', 'repeated', `repeats ${quote(id)}`)
    routed.add(id)
  }
}
