import { z } from 'zod'
import { FreshnessBlock } from './answers.ts'
import { brandVariants } from './live.ts'
import { LiveBrandFailure, ReportedFault } from './reported-fault.ts'

const text = z.string()

export const BrandJson = z
  .looseObject({
    domain: text,
    url: text,
    data: z.record(text, z.unknown()),
    data_truncated: z.boolean().optional(),
    variant: z.enum(brandVariants).optional(),
    warnings: z.array(ReportedFault).optional(),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'BrandJson', description: 'What a brand says of itself' })
