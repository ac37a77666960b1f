import { z } from 'zod'
import { brandVariants } from '../live/live.ts'
import { LiveBrandFailure, ReportedFault } from '../reported-fault.ts'
import { PromotedFromSchema } from '../shared-fields.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()

export const BrandJson = z
  .looseObject({
    domain: text.describe('Requested domain, normalized'),
    url: text.describe('URL of the file, or of the file that the registry serves in its place'),
    data: z
      .record(text, z.unknown())
      .describe(
        'Content of the file at `url`, with a `name` if it has none; for a domain without a file, the stored brand',
      ),
    data_truncated: z
      .boolean()
      .optional()
      .describe(
        'True if `data` is not the whole file: it was too long, or this replica keeps no files',
      ),
    variant: z
      .enum(brandVariants)
      .optional()
      .describe('Form of the file: a brand, a house with its brands, or a pointer to another file'),
    warnings: z
      .array(ReportedFault)
      .optional()
      .describe('Issues that affect only part of the file; only with `fresh=true`'),
    promoted_from_schema: PromotedFromSchema,
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'BrandJson', description: 'A domain’s brand.json, as crawled' })
