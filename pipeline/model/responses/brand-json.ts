import { z } from 'zod'
import { brandVariants } from '../live.ts'
import { LiveBrandFailure, ReportedFault } from '../reported-fault.ts'
import { FreshnessBlock } from './freshness.ts'

const text = z.string()

export const BrandJson = z
  .looseObject({
    domain: text.describe('Domain that was asked about, in its normal form'),
    url: text.describe('Address of the file, or of what the registry serves in its place'),
    data: z
      .record(text, z.unknown())
      .describe('The file as it is, or what is known of the brand where it is not read just now'),
    data_truncated: z
      .boolean()
      .optional()
      .describe('True where `data` was too long for an answer; `url` has all of it'),
    variant: z
      .enum(brandVariants)
      .optional()
      .describe('Form of the file: a brand, a house with its brands, or where to look instead'),
    warnings: z
      .array(ReportedFault)
      .optional()
      .describe('Faults of the file that lose only a part of it; only with `fresh=true`'),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'BrandJson', description: 'Get the brand.json of a domain as crawled' })
