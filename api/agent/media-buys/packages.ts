import { randomUUID } from 'node:crypto'
import {
  type BoughtTerms,
  listPricingOptionIds,
  type Product,
  pickTerms,
} from '../catalogue/products.ts'
import { findProduct } from '../catalogue/seeded-products.ts'
import { TaskError } from '../errors.ts'
import type { TaskContext } from '../task-context.ts'
import { isCatalogueFormat } from '../tasks/format-id.ts'
import { sumSpend } from './delivery-plan.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { resolveAssignments, splitAssignments } from './package-creatives.ts'
import type { PackageChange, PackageRequest, PackageTerms } from './requests.ts'

/** Fields that are stored as sent and returned. */
const SHOWN = [
  'pacing',
  'impressions',
  'targeting_overlay',
  'optimization_goals',
  'format_ids',
  'measurement_terms',
  'performance_standards',
  'agency_estimate_number',
] as const

/** Builds a package of a product. Throws if the product or the terms are not offered. */
export function buildPackage(
  request: PackageRequest,
  accountId: string,
  context: TaskContext,
  field: string,
): Package {
  const product = resolveProduct(request, context, field)
  assertBid(request.bid_price, pickTerms(product), field)
  assertTerms(request, field)
  const unknown = (request.format_ids ?? []).findIndex(
    id => !product.formats.some(format => isCatalogueFormat(id, format, context)),
  )
  if (unknown >= 0) {
    const at = `${field}.format_ids[${unknown}]`
    const message = `${at}: ${product.id} does not accept this format`
    throw new TaskError('UNSUPPORTED_FEATURE', message, { field: at })
  }
  const { present, awaited } = splitAssignments(request, accountId, context)
  const assigned = resolveAssignments(
    { ...request, ...present },
    product.formats,
    accountId,
    context,
    field,
  )
  return {
    package_id: `pkg_${randomUUID()}`,
    product_id: product.id,
    pricing_option_id: request.pricing_option_id,
    terms: pickTerms(product),
    budget: request.budget,
    ...(request.bid_price !== undefined && { bid_price: request.bid_price }),
    shown: pickShown(request),
    creative_assignments: assigned ?? [],
    ...(awaited.length > 0 && { awaited }),
    ...pickFlight(request),
    isPaused: request.paused ?? false,
    periods: [],
  }
}

function resolveProduct(
  { product_id, pricing_option_id }: PackageRequest,
  context: TaskContext,
  field: string,
): Product {
  const product = findProduct(product_id, context)
  if (!product) {
    const message = `${field}.product_id: there is no product ${product_id} here`
    throw new TaskError('PRODUCT_NOT_FOUND', message, { field: `${field}.product_id` })
  }
  if (!listPricingOptionIds(product).includes(pricing_option_id)) {
    const message = `${field}.pricing_option_id: ${product_id} has no ${pricing_option_id}`
    throw new TaskError('INVALID_REQUEST', message, { field: `${field}.pricing_option_id` })
  }
  return product
}

function assertBid(
  bid: number | undefined,
  { isGuaranteed, cpm }: BoughtTerms,
  field: string,
): void {
  if (bid === undefined || isGuaranteed || bid >= cpm) return
  const message = `${field}.bid_price: the lowest bid is ${cpm}`
  throw new TaskError('BUDGET_TOO_LOW', message, { field: `${field}.bid_price` })
}

/** Windows after which counts are final, and the smallest variance that is accepted without dispute. */
const WINDOWS = ['live', 'c3', 'c7', 'c14']
const VARIANCE_MIN_PERCENT = 5

function assertTerms({ measurement_terms }: PackageRequest, field: string): void {
  const { measurement_window: window, max_variance_percent: variance } =
    measurement_terms?.billing_measurement ?? {}
  const at = `${field}.measurement_terms.billing_measurement`
  if (variance !== undefined && variance < VARIANCE_MIN_PERCENT) {
    const message = `${at}.max_variance_percent: must be at least ${VARIANCE_MIN_PERCENT}`
    throw new TaskError('TERMS_REJECTED', message, { field: `${at}.max_variance_percent` })
  }
  if (window === undefined || WINDOWS.includes(window)) return
  const message = `${at}.measurement_window: must be one of ${WINDOWS.join(', ')}`
  throw new TaskError('TERMS_REJECTED', message, { field: `${at}.measurement_window` })
}

/** Changes a package of a buy. Throws if it does not exist, or the change is not allowed. */
export function updatePackage(
  buy: MediaBuy,
  change: PackageChange,
  context: TaskContext,
  field: string,
): Package {
  const pkg = buy.packages.find(({ package_id }) => package_id === change.package_id)
  if (!pkg) {
    const message = `${field}.package_id: this media buy has no package ${change.package_id}`
    throw new TaskError('PACKAGE_NOT_FOUND', message, { field: `${field}.package_id` })
  }
  if (pkg.cancellation) {
    const code = change.canceled ? 'NOT_CANCELLABLE' : 'INVALID_STATE'
    throw new TaskError(code, `${field}: the package is canceled`, { field })
  }
  assertBid(change.bid_price, pkg.terms, field)
  assertBudget(pkg, change, context, field)
  const { now } = context
  const reason = change.cancellation_reason
  const assigned =
    resolveAssignments(change, pkg.terms.formats, buy.account.account_id, context, field) ??
    pkg.creative_assignments
  const { awaited = [], ...before } = pkg
  const missing = awaited.filter(
    ({ creative_id }) => !assigned.some(assignment => assignment.creative_id === creative_id),
  )
  return {
    ...before,
    ...(missing.length > 0 && { awaited: missing }),
    budget: change.budget ?? pkg.budget,
    ...(change.bid_price !== undefined && { bid_price: change.bid_price }),
    shown: { ...pkg.shown, ...pickShown(change) },
    creative_assignments: assigned,
    ...pickFlight(change),
    isPaused: change.paused ?? pkg.isPaused,
    ...(change.canceled && { cancellation: { at: now, ...(reason && { reason }) } }),
  }
}

function assertBudget(pkg: Package, change: PackageChange, { now }: TaskContext, field: string) {
  const spent = sumSpend(pkg.periods, 0, now)
  if (change.budget === undefined || change.budget >= spent) return
  const message = `${field}.budget: ${spent.toFixed(2)} is already spent`
  throw new TaskError('BUDGET_TOO_LOW', message, { field: `${field}.budget` })
}

function pickShown(terms: PackageTerms): Record<string, unknown> {
  const entries = SHOWN.map(name => [name, terms[name]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function pickFlight({ start_time, end_time }: PackageTerms): { start?: number; end?: number } {
  return {
    ...(start_time !== undefined && { start: start_time }),
    ...(end_time !== undefined && { end: end_time }),
  }
}
