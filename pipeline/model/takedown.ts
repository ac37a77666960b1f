import { z } from 'zod'
import { Domain } from '../core/domain.ts'

/** What may be asked about domains that the registry may say nothing of. */
export const takedownOperations = [
  z.object({
    op: z.literal('domain.takedown'),
    domain: Domain,
    reason: z.string().trim().min(1).max(2_000).exactOptional(),
  }),
  z.object({ op: z.literal('domain.readmit'), domain: Domain }),
] as const
