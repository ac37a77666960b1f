/** A storyboard or bundle, as the public runner names it, and what it is run with. */
export interface Row {
  tenant: string
  name: string
  /** Tenants that take the tasks of their own protocols. */
  others?: readonly string[]
  signedTasks?: readonly string[]
  probe_task?: string
  skipVectors?: readonly string[]
}

/** Storyboards of which every agent has steps, whatever its tasks. */
const universal = [
  'capability_discovery',
  'idempotency',
  'v3_envelope_integrity',
  'webhook-emission',
]

/** Storyboards that each tenant must pass by itself. */
const storyboards: readonly { tenant: string; names: readonly string[] }[] = [
  {
    tenant: 'sales',
    names: [
      ...universal,
      'schema_validation',
      'error_compliance',
      'pagination-integrity',
      'pagination-integrity-list-accounts',
      'pagination-integrity-creative-formats',
      'creative_sales_agent',
      'media_buy_state_machine',
      'media_buy_seller/invalid_transitions',
      'media_buy_seller/pending_creatives_to_start',
      'media_buy_seller/creative_fate_after_cancellation',
      'media_buy_seller/measurement_terms_rejected',
      'media_buy_seller/inventory_list_targeting',
      'media_buy_seller/refine_products',
      'media_buy_seller/delivery_reporting',
      'media_buy_seller/proposal_finalize',
      'media_buy_seller/inventory_list_no_match',
      'media_buy_seller/create_media_buy_async',
      'media_buy_seller',
      'deterministic-testing',
      'get-media-buys-pagination-integrity',
      'sales-non-guaranteed',
      'sales-guaranteed',
      'sales-proposal-mode',
      'sales-social',
      'sales-catalog-driven',
      'audience-sync',
    ],
  },
  {
    tenant: 'signals',
    names: [
      ...universal,
      'deterministic-testing',
      'pagination-integrity-list-accounts',
      'signals',
      'signal-marketplace',
      'signal-owned',
      'get-signals-pagination-integrity',
    ],
  },
  {
    tenant: 'creative',
    names: [
      ...universal,
      'deterministic-testing',
      'pagination-integrity-list-accounts',
      'pagination-integrity',
      'pagination-integrity-creative-formats',
      'creative',
    ],
  },
  {
    tenant: 'creative-builder',
    names: [
      ...universal,
      'deterministic-testing',
      'pagination-integrity-list-accounts',
      'pagination-integrity',
      'pagination-integrity-creative-formats',
      'creative',
      'creative-template',
      'creative-generative',
    ],
  },
  {
    tenant: 'governance',
    names: [
      ...universal,
      'deterministic-testing',
      'pagination-integrity-list-accounts',
      'property-lists',
      'property-lists-pagination-integrity',
      'content-standards',
      'content-standards-pagination-integrity',
    ],
  },
  { tenant: 'brand', names: [...universal, 'brand'] },
]

/** Scenarios of buying under a plan, which the governance tenant knows. */
const governed = [
  'media_buy_seller/governance_approved',
  'media_buy_seller/governance_conditions',
  'media_buy_seller/governance_denied',
  'media_buy_seller/governance_denied_recovery',
  'governance-aware-seller',
  'governance',
  'governance-spend-authority',
  'governance-delivery-monitor',
]

/** Vectors for agents that demand or forbid a digest, and one that the runner cannot pass on. */
const skipVectors = [
  '007-missing-content-digest',
  '018-digest-covered-when-forbidden',
  '025-jwk-alg-crv-mismatch',
]

/** Storyboards that need more than an address. */
const special: readonly Row[] = [
  { tenant: 'sales', name: 'security', probe_task: 'list_creatives' },
  { tenant: 'signals', name: 'security', probe_task: 'get_signals' },
  { tenant: 'creative', name: 'security', probe_task: 'list_creatives' },
  { tenant: 'creative-builder', name: 'security', probe_task: 'list_creatives' },
  { tenant: 'governance', name: 'security', probe_task: 'list_accounts' },
  { tenant: 'brand', name: 'security', probe_task: 'get_adcp_capabilities' },
  ...['sales', 'signals', 'creative', 'creative-builder', 'governance', 'brand'].map(tenant => ({
    tenant,
    name: 'signed-requests',
    signedTasks: ['create_media_buy'],
    skipVectors,
  })),
  ...governed.map(name => ({ tenant: 'sales', name, others: ['governance'] })),
]

export const rows: readonly Row[] = [
  ...storyboards.flatMap(({ tenant, names }) => names.map(name => ({ tenant, name }))),
  ...special,
]
