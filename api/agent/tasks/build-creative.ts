import { z } from 'zod'
import { getFirst } from '../../../pipeline/core/present.ts'
import { AccountRef, BrandRef, CallersId, resolveAccount } from '../accounts.ts'
import { hasContent, readBrief } from '../creatives/brief.ts'
import { buildCreative } from '../creatives/build-creative.ts'
import { resolveFormat } from '../creatives/check-manifest.ts'
import { Assets } from '../creatives/creative.ts'
import { resolveCreative } from '../creatives/library.ts'
import { buildPreviews } from '../creatives/previews.ts'
import { TaskError } from '../errors.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'
import { FormatId } from './format-id.ts'

const Input = z.object({
  account: AccountRef.optional(),
  message: z.string().max(10_000).optional().describe('What to make or change, in plain words'),
  creative_manifest: z
    .looseObject({ format_id: FormatId.optional(), assets: Assets.optional() })
    .optional()
    .describe('A creative to transform, or promoted_offerings to make one from'),
  creative_id: CallersId.optional().describe('A creative of the library to transform'),
  target_format_id: FormatId.optional(),
  target_format_ids: z.array(FormatId).min(1).max(20).optional(),
  brand: BrandRef.optional(),
  include_preview: z.boolean().optional(),
  preview_output_format: z.enum(['url', 'html']).default('url'),
})

type Request = z.output<typeof Input>

export const buildCreativeTask = defineTask({
  name: 'build_creative',
  title: 'Make creatives',
  description: 'Transforms a creative into formats, or makes one from a brand and its offerings',
  input: Input,
  mutates: true,
  run(request, context) {
    const targets = listTargets(request)
    const brief = readBrief({ ...request, assets: findAssets(request, context) })
    if (!hasContent(brief)) {
      const message = 'creative_manifest: send assets, offerings or a message to make it from'
      throw new TaskError('INVALID_REQUEST', message, { field: 'creative_manifest' })
    }
    const built = targets.map(({ id, field }) =>
      buildCreative(resolveFormat(id, context, field), brief, context),
    )
    const manifests = request.target_format_ids
      ? { creative_manifests: built }
      : { creative_manifest: getFirst(built) }
    return { ...manifests, ...addPreview(request, getFirst(built), context), sandbox: true }
  },
})

function listTargets({ target_format_id, target_format_ids }: Request) {
  if (target_format_ids) {
    return target_format_ids.map((id, at) => ({ id, field: `target_format_ids[${at}]` }))
  }
  if (target_format_id) return [{ id: target_format_id, field: 'target_format_id' }]
  throw new TaskError('INVALID_REQUEST', 'target_format_id: name the format to make', {
    field: 'target_format_id',
  })
}

function findAssets({ creative_manifest, creative_id, account }: Request, context: TaskContext) {
  if (creative_id === undefined || creative_manifest?.assets) return creative_manifest?.assets ?? {}
  const accountId = account ? resolveAccount(account, context).account_id : ''
  return resolveCreative(context, accountId, creative_id, 'creative_id').assets
}

function addPreview(
  { include_preview, preview_output_format, target_format_ids }: Request,
  first: ReturnType<typeof buildCreative>,
  context: TaskContext,
) {
  if (!include_preview || target_format_ids) return {}
  return { preview: buildPreviews(first, undefined, preview_output_format, context) }
}
