import { randomUUID } from 'node:crypto'
import { DAY, toIso } from '../../../pipeline/core/clock.ts'
import type { Format } from '../catalogue/formats.ts'
import type { TaskContext } from '../task-context.ts'
import { assertMatchesFormat, resolveFormat } from './check-manifest.ts'
import type { Manifest } from './creative.ts'
import { type Macros, renderCreative } from './render.ts'

declare module '../state/store.ts' {
  interface Records {
    /** Pages of previews. */
    preview: string
  }
}

/** Time for which a preview can be opened. */
const PREVIEW_MS = DAY

/** A variant of a creative to preview. */
export interface PreviewInput {
  name: string
  macros?: Macros | undefined
}

export type OutputFormat = 'url' | 'html'

/**
 * Renders a creative once for each input, once without inputs. Throws if it does not match its format; `field` is
 * the place of the manifest in the request.
 */
export function buildPreviews(
  manifest: Manifest,
  inputs: readonly PreviewInput[] | undefined,
  output: OutputFormat,
  context: TaskContext,
  field = 'creative_manifest',
): { previews: Record<string, unknown>[]; expires_at: string } {
  const format = resolveFormat(manifest.format_id, context, `${field}.format_id`)
  assertMatchesFormat(manifest.assets, format, field)
  const previews = (inputs ?? [{ name: 'Default' }]).map(input =>
    buildPreview(format, manifest, input, output, context),
  )
  return { previews, expires_at: toIso(context.now + PREVIEW_MS) }
}

function buildPreview(
  format: Format,
  { assets }: Manifest,
  { name, macros }: PreviewInput,
  output: OutputFormat,
  context: TaskContext,
): Record<string, unknown> {
  const html = renderCreative(format, assets, macros)
  const preview_id = randomUUID()
  const rendering =
    output === 'html'
      ? { preview_html: html }
      : { preview_url: storePreview(preview_id, html, context) }
  const dimensions = format.size && { dimensions: { ...format.size } }
  return {
    preview_id,
    input: { name, ...(macros && { macros }) },
    renders: [
      {
        render_id: `${preview_id}-1`,
        output_format: output,
        role: 'primary',
        ...rendering,
        ...dimensions,
      },
    ],
    ...rendering,
  }
}

/** Stores the page of a preview and returns its address. */
function storePreview(id: string, html: string, { state, now, origin }: TaskContext): string {
  state.put('preview', '', id, html, { now, lifetimeMs: PREVIEW_MS })
  return `${origin}/previews/${id}`
}
