import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { referenceTenants } from '../../pipeline/model/storyboards/storyboard.ts'
import type { StoryboardComparison } from '../../pipeline/model/storyboards/storyboard-comparison.ts'
import type { StepResult } from '../../pipeline/model/storyboards/storyboard-result.ts'
import { findEntry } from '../../pipeline/storyboards/catalog.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import { type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import {
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../support/servers/reference-agent.ts'
import { type AgentCall, type Damage, serveReferenceAgent } from '../support/servers/storyboards.ts'

let agent: ReferenceAgent
let web: LiveWeb
let registry: TestRegistry
let key: string
let damage: Damage
let calls: AgentCall[] = []

beforeAll(async () => {
  agent = await startReferenceAgent(systemClock)
  web = await openLiveWeb(
    {
      'reference.example': serveReferenceAgent(agent),
      'faulty.example': serveReferenceAgent(agent, {
        isOpen: true,
        damage: (payload, call) => damage(payload, call),
        listen: call => calls.push(call),
      }),
    },
    { storyboardMs: 60_000, storyboardStepMs: 60_000 },
    {
      PROTOCOL_NAME: 'adcp',
      REFERENCE_AGENT_URL: 'https://reference.example',
      REFERENCE_AGENT_TOKEN: TOKEN,
    },
  )
  registry = await web.open({ storyboardRunsPerHour: 1_000 })
  const agents = referenceTenants.map(tenant => ({ url: `https://faulty.example/${tenant}/mcp` }))
  key = await enrol(registry, { org: 'Acme', domains: ['faulty.example'], agents })
})

afterAll(async () => {
  await web.close()
  await agent.close()
})

async function compare(id: string): Promise<StoryboardComparison> {
  const tenant = findEntry(id)!.tenant
  const url = encodeURIComponent(`https://faulty.example/${tenant}/mcp`)
  const answer = await registry.app.inject({
    method: 'POST',
    url: `/api/registry/agents/${url}/storyboard/${id}/compare`,
    headers: { authorization: `Bearer ${key}` },
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

/** Changes the answers to calls of a task; `when` chooses among them. */
function change(
  task: string,
  edit: (payload: Payload, call: AgentCall) => unknown,
  when: (args: Payload) => unknown = () => true,
): Damage {
  return (payload, call) => {
    if (call.task !== task || !when(call.args)) return payload
    const edited = edit(payload, call)
    return edited === payload || typeof edited !== 'object' || edited === null
      ? payload
      : (edited as Payload)
  }
}

/** Answers as if the task had been done. */
const accept = () => ({ is_error: false, media_buy_id: 'any', accounts: [], done: true })
const withCode = (code: string) => () => ({ is_error: true, adcp_error: { code, message: 'No' } })
const isRepeated = ({ idempotency_key }: Payload) =>
  calls.filter(({ args }) => args.idempotency_key === idempotency_key).length > 1
const isSecond = (task: string) => () => calls.filter(call => call.task === task).length > 1
const capabilities = 'get_adcp_capabilities'

interface PlantedFault {
  fault: string
  storyboard: string
  damage: Damage
  /** The step, the check and its place that show the fault. */
  shown: string
}

const faults: PlantedFault[] = [
  {
    fault: 'speaks another version',
    storyboard: 'capability_values',
    damage: change(capabilities, ({ adcp }) => {
      adcp.major_versions = [2]
    }),
    shown: 'read_capabilities: field_contains adcp.major_versions',
  },
  {
    fault: 'spells its protocols otherwise',
    storyboard: 'capability_values',
    damage: change(capabilities, payload => ({ ...payload, supported_protocols: ['Media-Buy'] })),
    shown: 'read_capabilities: field_pattern supported_protocols[*]',
  },
  {
    fault: 'does not say whether repetitions are recognised',
    storyboard: 'capability_values',
    damage: change(capabilities, ({ adcp }) => {
      adcp.idempotency = {}
    }),
    shown: 'read_capabilities: field_value adcp.idempotency.supported',
  },
  {
    fault: 'loses the context',
    storyboard: 'capability_values',
    damage: change(capabilities, ({ context: _, ...rest }) => rest),
    shown: 'echo_context: field_value context.trace',
  },
  {
    fault: 'accepts any version',
    storyboard: 'error_handling',
    damage: change(
      capabilities,
      (_, { args }) => ({ ...accept(), context: args.context }),
      args => args.adcp_major_version === 99,
    ),
    shown: 'refuse_unknown_version: success',
  },
  {
    fault: 'names another reason',
    storyboard: 'error_handling',
    damage: change(
      capabilities,
      (payload, { args }) => ({ ...payload, ...withCode('CONFLICT')(), context: args.context }),
      args => args.adcp_major_version === 99,
    ),
    shown: 'refuse_unknown_version: error_code',
  },
  {
    fault: 'refuses without a code',
    storyboard: 'error_handling',
    damage: change(
      capabilities,
      (_, { args }) => ({ is_error: true, message: 'No', context: args.context }),
      args => args.adcp_major_version === 99,
    ),
    shown: 'refuse_unknown_version: error_code',
  },
  {
    fault: 'loses the context of what it refuses',
    storyboard: 'error_handling',
    damage: change(
      capabilities,
      ({ context: _, ...rest }) => rest,
      args => args.adcp_major_version === 99,
    ),
    shown: 'refuse_unknown_version: field_value context.trace',
  },
  {
    fault: 'makes an account twice',
    storyboard: 'account_setup',
    damage: change(
      'sync_accounts',
      ({ accounts }) => {
        if (accounts) accounts[0].action = 'created'
      },
      isSecond('sync_accounts'),
    ),
    shown: 'sync_account_again: field_value accounts[0].action',
  },
  {
    fault: 'invents a status of accounts',
    storyboard: 'account_setup',
    damage: change('list_accounts', ({ accounts }) => {
      if (accounts) accounts.at(-1).status = 'fine'
    }),
    shown: 'list_all_accounts: field_value accounts[*].status',
  },
  {
    fault: 'needs no key',
    storyboard: 'account_setup',
    damage: change('sync_accounts', accept, args => args.idempotency_key === undefined),
    shown: 'refuse_account_without_key: success',
  },
  {
    fault: 'sells products without a name',
    storyboard: 'product_discovery',
    damage: change('get_products', ({ products = [] }) => {
      delete products.at(-1)?.name
    }),
    shown: 'find_by_brief: field_present products[*].name',
  },
  {
    fault: 'writes currencies in lower case',
    storyboard: 'product_discovery',
    damage: change('get_products', ({ products = [] }) => {
      if (products[0]) products[0].pricing_options[0].currency = 'usd'
    }),
    shown: 'find_by_brief: field_pattern products[*].pricing_options[*].currency',
  },
  {
    fault: 'names formats by texts',
    storyboard: 'product_discovery',
    damage: change('get_products', ({ products = [] }) => {
      if (products[0]) products[0].format_ids = ['display_300x250']
    }),
    shown: 'find_by_brief: field_present products[*].format_ids[*].agent_url',
  },
  {
    fault: 'sends more than a page',
    storyboard: 'product_discovery',
    damage: change(
      'get_products',
      ({ products }) => {
        products.push(products[0])
      },
      args => args.pagination,
    ),
    shown: 'page_products: array_length products',
  },
  {
    fault: 'does not say what became of a wish',
    storyboard: 'product_discovery',
    damage: change(
      'get_products',
      ({ refinement_applied }) => {
        refinement_applied[0].status = 'perhaps'
      },
      args => args.refine,
    ),
    shown: 'refine_by_product: field_value refinement_applied[0].status',
  },
  {
    fault: 'adds budgets up wrongly',
    storyboard: 'media_buy_lifecycle',
    damage: change('get_media_buys', ({ media_buys }) => {
      if (media_buys) media_buys[0].total_budget = 1
    }),
    shown: 'read_buy: field_value media_buys[0].total_budget',
  },
  {
    fault: 'changes an old revision',
    storyboard: 'media_buy_lifecycle',
    damage: change('update_media_buy', accept, args => args.revision !== undefined),
    shown: 'refuse_stale_revision: success',
  },
  {
    fault: 'names another reason for what cannot be canceled',
    storyboard: 'media_buy_lifecycle',
    damage: change(
      'update_media_buy',
      withCode('INVALID_STATE'),
      args => args.canceled && !args.cancellation_reason,
    ),
    shown: 'refuse_second_cancellation: error_code',
  },
  {
    fault: 'offers to change what is canceled',
    storyboard: 'media_buy_lifecycle',
    damage: change(
      'update_media_buy',
      payload => ({ ...payload, valid_actions: ['pause'] }),
      args => args.cancellation_reason,
    ),
    shown: 'cancel_buy: array_length valid_actions',
  },
  {
    fault: 'takes a budget below nothing',
    storyboard: 'media_buy_lifecycle',
    damage: change('create_media_buy', accept, args => args.packages[0].budget < 0),
    shown: 'refuse_negative_budget: success',
  },
  {
    fault: 'does not mark a repetition',
    storyboard: 'idempotent_writes',
    damage: change('create_media_buy', ({ replayed: _, ...rest }) => rest),
    shown: 'repeat_order: field_value replayed',
  },
  {
    fault: 'does a repeated write again',
    storyboard: 'idempotent_writes',
    damage: change(
      'create_media_buy',
      payload => (payload.media_buy_id ? { ...payload, media_buy_id: 'another' } : payload),
      isRepeated,
    ),
    shown: 'repeat_order: field_value media_buy_id',
  },
  {
    fault: 'calls a first write a repetition',
    storyboard: 'idempotent_writes',
    damage: change('create_media_buy', payload =>
      payload.media_buy_id ? { ...payload, replayed: true } : payload,
    ),
    shown: 'first_order: field_absent replayed',
  },
  {
    fault: 'tells of the first request in a conflict',
    storyboard: 'idempotent_writes',
    damage: change('create_media_buy', payload =>
      payload.code === 'IDEMPOTENCY_CONFLICT'
        ? { ...payload, is_error: true, media_buy_id: 'the-first' }
        : payload,
    ),
    shown: 'refuse_other_order: field_absent media_buy_id',
  },
  {
    fault: 'knows tasks that nobody submitted',
    storyboard: 'error_handling',
    damage: change('tasks_get', accept),
    shown: 'refuse_unknown_task: success',
  },
  {
    fault: 'delivers before the start',
    storyboard: 'delivery_reporting',
    damage: change('get_media_buy_delivery', ({ media_buy_deliveries = [] }) => {
      if (media_buy_deliveries[0]) media_buy_deliveries[0].totals.impressions = 5
    }),
    shown: 'read_delivery: field_value media_buy_deliveries[0].totals.impressions',
  },
  {
    fault: 'keeps creatives in another format',
    storyboard: 'creative_library',
    damage: change('list_creatives', ({ creatives }) => {
      if (creatives) creatives[0].format_id.id = 'other'
    }),
    shown: 'find_creative: field_value creatives[0].format_id.id',
  },
  {
    fault: 'answers without a payload',
    storyboard: 'catalog_and_events',
    damage: (payload, { task }) =>
      task === 'sync_catalogs' && payload.catalogs ? undefined : payload,
    shown: 'keep_catalog: success',
  },
  {
    fault: 'does not delete',
    storyboard: 'audience_lifecycle',
    damage: change(
      'sync_audiences',
      ({ audiences }) => {
        audiences[0].action = 'unchanged'
      },
      args => args.audiences?.[0].delete,
    ),
    shown: 'delete_audience: field_value audiences[0].action',
  },
  {
    fault: 'covers more than everybody',
    storyboard: 'signal_activation',
    damage: change('get_signals', ({ signals = [] }) => {
      if (signals[0]) signals[0].coverage_percentage = 250
    }),
    shown: 'find_signal: field_less_than signals[*].coverage_percentage',
  },
  {
    fault: 'proposes again what was settled',
    storyboard: 'proposal_settlement',
    damage: change('get_products', ({ proposals = [] }) => {
      for (const proposal of proposals) proposal.proposal_status = 'draft'
    }),
    shown: 'settle: field_value proposals[0].proposal_status',
  },
  {
    fault: 'leaves a signal live',
    storyboard: 'signal_activation',
    damage: change(
      'activate_signal',
      ({ deployments }) => {
        deployments[0].is_live = true
      },
      args => args.action === 'deactivate',
    ),
    shown: 'deactivate: field_value deployments[0].is_live',
  },
  {
    fault: 'shows previews that are scripts',
    storyboard: 'creative_build_and_preview',
    damage: change('preview_creative', ({ previews }) => {
      if (previews?.[0].renders[0].preview_url) previews[0].renders[0].preview_url = 'javascript:0'
    }),
    shown: 'preview: field_pattern previews[0].renders[0].preview_url',
  },
  {
    fault: 'approves what it denies',
    storyboard: 'spend_governance',
    damage: change('check_governance', payload =>
      payload.status === 'denied' ? { ...payload, status: 'approved' } : payload,
    ),
    shown: 'deny_beyond_budget: field_value status',
  },
  {
    fault: 'keeps no times in its audit',
    storyboard: 'spend_governance',
    damage: change('get_plan_audit_logs', ({ plans }) => {
      if (plans) delete plans[0].entries[0].timestamp
    }),
    shown: 'read_audit: field_present plans[0].entries[*].timestamp',
  },
  {
    fault: 'tells what was not asked for',
    storyboard: 'brand_identity',
    damage: change('get_brand_identity', payload =>
      payload.brand_id ? { ...payload, tagline: 'Light' } : payload,
    ),
    shown: 'read_colors_only: field_absent tagline',
  },
]

const listSteps = ({ phases = [] }: StoryboardComparison) => phases.flatMap(({ steps }) => steps)

function listFaults({ step, validations }: StepResult): string[] {
  return validations
    .filter(({ passed }) => !passed)
    .map(({ check, path }) => [`${step}: ${check}`, path].filter(Boolean).join(' '))
}

test.each(faults)('an agent that $fault differs by that alone', async planted => {
  damage = planted.damage
  calls = []
  const steps = listSteps(await compare(planted.storyboard))
  const found = steps.flatMap(step => step.user_result.scenarios.flatMap(run => run.steps))
  expect(found.flatMap(listFaults)).toEqual([planted.shown])
  const [faulty, ...others] = found.filter(({ passed }) => passed === false)
  expect([faulty?.step, others]).toEqual([planted.shown.split(':')[0], []])
  for (const step of steps) {
    expect(step.reference_result.passed).toBe(true)
    expect(step.differs).toBe(step.user_result.passed !== true)
  }
  // What builds on the faulty step is skipped, not counted as another fault.
  const skipped = found.filter(({ passed }) => passed === null)
  expect(skipped.map(({ skip_reason }) => skip_reason)).toEqual(
    skipped.map(() => 'prerequisite_failed'),
  )
})
