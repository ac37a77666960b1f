import { z } from 'zod'
import type { Instant } from '../../../pipeline/core/clock.ts'
import { CallersId } from '../accounts.ts'
import { FormatId } from '../tasks/format-id.ts'

declare module '../state/store.ts' {
  interface Records {
    creative: StoredCreative
    /** Ids of the accounts that last stored a creative, by its id. */
    creative_owner: string
  }
}

export const Asset = z
  .looseObject({ asset_type: z.string().max(50).optional() })
  .describe('An asset with its asset_type and the fields of that type')
export type Asset = z.infer<typeof Asset>

/** Assets by the names in the format. */
export const Assets = z.record(z.string().max(200), z.union([Asset, z.array(Asset).max(50)]))
export type Assets = z.infer<typeof Assets>

export const Manifest = z
  .looseObject({ format_id: FormatId, assets: Assets })
  .describe('A creative: the format it is in, and its assets by name')
export type Manifest = z.infer<typeof Manifest>

/** A creative as a caller sends it. */
export const Creative = z.looseObject({
  creative_id: CallersId,
  name: z.string().max(500),
  format_id: FormatId,
  assets: Assets,
  tags: z.array(z.string().max(200)).max(100).optional(),
  weight: z.number().min(0).max(100).optional(),
  placement_ids: z.array(CallersId).max(100).optional(),
})
export type Creative = z.infer<typeof Creative>

export const creativeStatuses = [
  'processing',
  'pending_review',
  'approved',
  'rejected',
  'archived',
] as const
export type CreativeStatus = (typeof creativeStatuses)[number]

/** A creative in the library of an account. */
export interface StoredCreative {
  creative_id: string
  name: string
  format_id: FormatId
  assets: Assets
  tags: string[]
  status: CreativeStatus
  createdAt: Instant
  updatedAt: Instant
}
