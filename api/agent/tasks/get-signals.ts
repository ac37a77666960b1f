import { z } from 'zod'
import { AccountRef, resolveAccount } from '../accounts.ts'
import { findSignalPriceId, type Signal, signals } from '../catalogue/signals.ts'
import { TaskError } from '../errors.ts'
import { cutPage, Pagination } from '../paging.ts'
import { type Deployment, listDeployments } from '../signals/activations.ts'
import { defineTask } from '../task.ts'

const Filters = z
  .looseObject({
    catalog_types: z.array(z.string()).optional().describe('marketplace, owned'),
    data_providers: z.array(z.string()).optional().describe('Names of providers'),
    max_cpm: z.number().min(0).optional().describe('Highest price of a thousand impressions, USD'),
    min_coverage_percentage: z.number().min(0).max(100).optional(),
  })
  .describe('Filters of signals')

const Input = z.object({
  signal_spec: z.string().optional().describe('The audience in plain words'),
  signal_ids: z
    .array(z.looseObject({ source: z.string(), id: z.string() }))
    .optional()
    .describe('Signals by their ids'),
  account: AccountRef.optional(),
  countries: z.array(z.string()).optional().describe('ISO 3166 codes'),
  filters: Filters.optional(),
  max_results: z.number().int().min(1).max(100).optional(),
  pagination: Pagination.optional(),
})

type Request = z.infer<typeof Input>

export const getSignals = defineTask({
  name: 'get_signals',
  title: 'Find signals',
  description: 'Finds audiences that match a description, with coverage and prices',
  input: Input,
  run(request, context) {
    if (request.signal_spec === undefined && request.signal_ids === undefined) {
      throw new TaskError(
        'INVALID_REQUEST',
        'signal_spec: describe the audience, or send signal_ids',
        {
          field: 'signal_spec',
        },
      )
    }
    const found = signals
      .filter(signal => matchesFilters(signal, request))
      .map(signal => ({ signal, score: scoreSignal(signal, request.signal_spec ?? '') }))
      .sort((a, b) => b.score - a.score)
      .map(({ signal }) => signal)
    const { items, pagination } = cutPage(found, {
      max_results: request.max_results,
      ...request.pagination,
    })
    const accountId = request.account && resolveAccount(request.account, context).account_id
    const deployments = listDeployments(context, accountId)
    const described = items.map(signal => describeSignal(signal, deployments.get(signal.id) ?? []))
    return { signals: described, pagination, sandbox: true }
  },
})

function matchesFilters(signal: Signal, { signal_ids, countries, filters = {} }: Request): boolean {
  const { catalog_types, data_providers, max_cpm, min_coverage_percentage = 0 } = filters
  return (
    (!signal_ids || signal_ids.some(({ id }) => id === signal.id)) &&
    (!countries || countries.some(code => signal.countries.includes(code.toUpperCase()))) &&
    (!catalog_types || catalog_types.includes(signal.kind)) &&
    (!data_providers || data_providers.includes(signal.provider.name)) &&
    (max_cpm === undefined || signal.cpm <= max_cpm) &&
    signal.coverage >= min_coverage_percentage
  )
}

/** Scores a signal by the words of a description that it contains. */
function scoreSignal({ name, description }: Signal, spec: string): number {
  const own = `${name} ${description}`.toLowerCase()
  return (spec.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter(word => own.includes(word))
    .length
}

function describeSignal(signal: Signal, deployments: Deployment[]): Record<string, unknown> {
  return {
    signal_id: { source: 'catalog', data_provider_domain: signal.provider.domain, id: signal.id },
    signal_agent_segment_id: signal.id,
    name: signal.name,
    description: signal.description,
    signal_type: signal.kind,
    data_provider: signal.provider.name,
    coverage_percentage: signal.coverage,
    deployments,
    pricing_options: [describePrice(signal)],
  }
}

function describePrice(signal: Signal): Record<string, unknown> {
  const price = { pricing_option_id: findSignalPriceId(signal), currency: 'USD' }
  return signal.monthly === undefined
    ? { ...price, model: 'cpm', cpm: signal.cpm }
    : { ...price, model: 'flat_fee', amount: signal.monthly, period: 'monthly' }
}
