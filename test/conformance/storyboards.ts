/** Storyboards that each tenant must pass, as the public runner names them. */
export const storyboards: readonly { tenant: string; names: readonly string[] }[] = [
  {
    tenant: 'sales',
    names: [
      'capability_discovery',
      'schema_validation',
      'v3_envelope_integrity',
      'error_compliance',
      'idempotency',
      'pagination-integrity-list-accounts',
      'media_buy_state_machine',
      'media_buy_seller/invalid_transitions',
      'media_buy_seller/pending_creatives_to_start',
      'media_buy_seller/creative_fate_after_cancellation',
      'media_buy_seller/measurement_terms_rejected',
      'media_buy_seller/inventory_list_targeting',
      'media_buy_seller/refine_products',
      'sales-non-guaranteed',
      'sales-social',
      'sales-catalog-driven',
      'audience-sync',
    ],
  },
  {
    tenant: 'signals',
    names: [
      'capability_discovery',
      'signals',
      'signal-marketplace',
      'signal-owned',
      'get-signals-pagination-integrity',
    ],
  },
  { tenant: 'creative', names: ['capability_discovery', 'creative'] },
  {
    tenant: 'creative-builder',
    names: ['capability_discovery', 'creative', 'creative-template', 'creative-generative'],
  },
  { tenant: 'governance', names: ['capability_discovery', 'governance-spend-authority'] },
  { tenant: 'brand', names: ['capability_discovery', 'brand'] },
]
