import { z } from 'zod'
import { AccountRef } from '../accounts.ts'
import { Manifest } from '../creatives/creative.ts'
import { buildPreviews, type OutputFormat } from '../creatives/previews.ts'
import { buildErrorBody, TaskError } from '../errors.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { FormatId } from './format-id.ts'

const OutputFormatName = z
  .enum(['url', 'html'])
  .describe('url: a page to open; html: the page itself')

const PreviewInputs = z
  .array(
    z.looseObject({
      name: z.string().max(200),
      macros: z.record(z.string(), z.string()).optional(),
      context_description: z.string().optional(),
    }),
  )
  .min(1)
  .max(20)
  .describe('Variants to preview, with the values of their placeholders')

const BatchItem = z.looseObject({
  creative_manifest: Manifest,
  format_id: FormatId.optional(),
  inputs: PreviewInputs.optional(),
  output_format: OutputFormatName.optional(),
})

const Input = z.object({
  account: AccountRef.optional(),
  request_type: z
    .enum(['single', 'batch'])
    .describe('single: one creative; batch: several, in requests'),
  creative_manifest: Manifest.optional(),
  format_id: FormatId.optional().describe('The format of the manifest, if it names none'),
  inputs: PreviewInputs.optional(),
  output_format: OutputFormatName.default('url'),
  requests: z.array(BatchItem).min(1).max(50).optional().describe('Creatives of a batch'),
})

type Request = z.output<typeof Input>

export const previewCreative = defineTask({
  name: 'preview_creative',
  title: 'Preview creatives',
  description: 'Previews creatives as pages for a browser, one for each variant',
  input: Input,
  run(request, context) {
    const { state, now } = context
    return state.transact(now, () =>
      request.request_type === 'batch'
        ? previewBatch(request, context)
        : previewSingle(request, context),
    )
  },
})

function previewSingle(request: Request, context: TaskContext): Record<string, unknown> {
  const { creative_manifest, inputs, output_format } = request
  if (!creative_manifest) {
    throw new TaskError('INVALID_REQUEST', 'creative_manifest: is required for a single preview', {
      field: 'creative_manifest',
    })
  }
  const previews = buildPreviews(creative_manifest, inputs, output_format, context)
  return { response_type: 'single', ...previews, sandbox: true }
}

function previewBatch(request: Request, context: TaskContext): Record<string, unknown> {
  if (!request.requests) {
    throw new TaskError('INVALID_REQUEST', 'requests: is required for a batch', {
      field: 'requests',
    })
  }
  const results = request.requests.map((item, at) =>
    previewItem(item, request.output_format, `requests[${at}].creative_manifest`, context),
  )
  const drawn = results.flatMap(({ response }) => (response ? [response] : []))
  return {
    response_type: 'batch',
    results,
    previews: drawn.flatMap(({ previews }) => previews),
    ...(drawn[0] && { expires_at: drawn[0].expires_at }),
    sandbox: true,
  }
}

/** Previews a creative of a batch: a failure is a result like the others. */
function previewItem(
  { creative_manifest: manifest, inputs, output_format }: z.output<typeof BatchItem>,
  output: OutputFormat,
  field: string,
  context: TaskContext,
) {
  const creative_id = typeof manifest.creative_id === 'string' ? manifest.creative_id : field
  try {
    const response = buildPreviews(manifest, inputs, output_format ?? output, context, field)
    return { success: true, creative_id, response }
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return { success: false, creative_id, errors: [buildErrorBody(error)] }
  }
}
