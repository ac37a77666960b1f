import { z } from 'zod'

/** What the registry reads in an `ads.txt`: who manages the domain's inventory. */
export const AdsTxtDocument = z.object({
  variant: z.literal('ads_txt'),
  /** The last eligible `MANAGERDOMAIN`. */
  manager_domain: z.string().exactOptional(),
})
export type AdsTxtDocument = z.infer<typeof AdsTxtDocument>
