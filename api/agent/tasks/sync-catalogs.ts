import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Instant, toIso } from '../../../pipeline/core/clock.ts'
import { AccountRef, CallersId, resolveAccount, saveAccount } from '../accounts.ts'
import { removeOthers, syncRecord } from '../state/sync.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

declare module '../state/store.ts' {
  interface Records {
    catalog: Catalog
  }
}

const types = [
  'offering',
  'product',
  'inventory',
  'store',
  'promotion',
  'hotel',
  'flight',
  'job',
  'vehicle',
  'real_estate',
  'education',
  'destination',
  'app',
] as const

const CatalogInput = z.looseObject({
  catalog_id: CallersId.optional(),
  name: z.string().max(500).optional(),
  type: z.enum(types).describe('The kind of items in the catalog'),
  url: z.url().max(2000).optional().describe('A feed; feeds are not fetched'),
  feed_format: z
    .enum(['google_merchant_center', 'facebook_catalog', 'shopify', 'linkedin_jobs', 'custom'])
    .optional(),
  update_frequency: z.enum(['realtime', 'hourly', 'daily', 'weekly']).optional(),
  items: z.array(z.looseObject({})).min(1).max(5000).optional().describe('The items themselves'),
})
type CatalogInput = z.infer<typeof CatalogInput>

const Input = z.object({
  account: AccountRef,
  catalogs: z.array(CatalogInput).min(1).max(50).optional().describe('Left out: all are listed'),
  catalog_ids: z
    .array(CallersId)
    .min(1)
    .max(50)
    .optional()
    .describe('Only these of the catalogs in the request'),
  delete_missing: z.boolean().optional().describe('Delete the catalogs that are not named'),
  dry_run: z.boolean().optional().describe('Change nothing, and report what would change'),
})

/** A stored catalog: of its items only the verdicts are kept. */
export interface Catalog {
  catalog_id: string
  name?: string
  type: (typeof types)[number]
  url?: string
  /** Tells whether the items have changed. */
  digest: string
  item_count: number
  item_issues: ItemIssue[]
  syncedAt: Instant
}

interface ItemIssue {
  item_id: string
  status: 'rejected'
  reasons: string[]
}

export const syncCatalogs = defineTask({
  name: 'sync_catalogs',
  title: 'Sync catalogs',
  description: 'Saves catalogs of products, offers and places, and reports which items are usable',
  input: Input,
  mutates: true,
  run({ account: ref, catalogs, catalog_ids, delete_missing, dry_run = false }, context) {
    const account = resolveAccount(ref, context)
    const place = { kind: 'catalog', scope: `${context.tenant} ${account.account_id}` } as const
    const known = context.state.list('catalog', place.scope)
    if (!catalogs) {
      const listed = known.map(catalog => ({ ...describe(catalog), action: 'unchanged' }))
      return { catalogs: listed, sandbox: true }
    }
    if (!dry_run) saveAccount(account, context)
    const wanted = catalogs
      .map(catalog => buildCatalog(catalog, context.now))
      .filter(({ catalog_id }) => !catalog_ids || catalog_ids.includes(catalog_id))
    const results = wanted.map(catalog => syncCatalog(catalog, place.scope, dry_run, context))
    const wantedIds = new Set(wanted.map(({ catalog_id }) => catalog_id))
    const all = known.map(({ catalog_id }) => catalog_id)
    const removed = delete_missing ? removeOthers(place, wantedIds, all, context, dry_run) : []
    const deleted = removed.map(catalog_id => ({ catalog_id, action: 'deleted' }))
    return { catalogs: [...results, ...deleted], dry_run, sandbox: true }
  },
})

function syncCatalog(next: Catalog, scope: string, isDryRun: boolean, context: TaskContext) {
  const { catalog_id: id } = next
  const known = context.state.get('catalog', scope, id)
  const isSame =
    known !== undefined &&
    JSON.stringify({ ...known, syncedAt: 0 }) === JSON.stringify({ ...next, syncedAt: 0 })
  const action = syncRecord({ kind: 'catalog', scope, id }, next, context, isDryRun)
  return { ...describe(next), action: isSame ? 'unchanged' : action }
}

function buildCatalog(
  { catalog_id, name, type, url, items = [] }: CatalogInput,
  now: Instant,
): Catalog {
  const digest = createHash('sha256').update(JSON.stringify(items)).digest('hex')
  return {
    catalog_id: catalog_id ?? `${type}_${digest.slice(0, 12)}`,
    ...(name !== undefined && { name }),
    type,
    ...(url !== undefined && { url }),
    digest,
    item_count: items.length,
    item_issues: items.flatMap((item, at) => checkItem(item, at)),
    syncedAt: now,
  }
}

/** Checks an item: it is usable if it has an id and a name. */
function checkItem(item: Record<string, unknown>, at: number): ItemIssue[] {
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
  const id = Object.entries(item).find(
    ([name, value]) => /^(?:.*_)?id$|^sku$/.test(name) && isText(value),
  )
  const reasons = [
    ...(id ? [] : ['it has no id']),
    ...(['name', 'title', 'headline'].some(name => isText(item[name])) ? [] : ['it has no name']),
  ]
  if (reasons.length === 0) return []
  return [{ item_id: String(id?.[1] ?? `items[${at}]`), status: 'rejected', reasons }]
}

function describe({ catalog_id, item_count, item_issues, url, syncedAt }: Catalog) {
  const rejected = item_issues.length
  return {
    catalog_id,
    item_count,
    items_approved: item_count - rejected,
    items_pending: 0,
    items_rejected: rejected,
    ...(rejected > 0 && { item_issues }),
    ...(url !== undefined && { warnings: ['Feeds are not fetched: send the items'] }),
    last_synced_at: toIso(syncedAt),
  }
}
