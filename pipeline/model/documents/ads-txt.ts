import { z } from 'zod'

/** The part of an `ads.txt` that the registry reads: the manager of the domain's inventory. */
export const AdsTxtDocument = z.object({
  variant: z.literal('ads_txt'),
  /** The last eligible `MANAGERDOMAIN`. */
  manager_domain: z.string().exactOptional(),
})
export type AdsTxtDocument = z.infer<typeof AdsTxtDocument>
