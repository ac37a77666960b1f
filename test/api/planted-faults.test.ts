import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { referenceTenants } from '../../pipeline/model/storyboards/storyboard.ts'
import type { StoryboardComparison } from '../../pipeline/model/storyboards/storyboard-comparison.ts'
import type { StepResult } from '../../pipeline/model/storyboards/storyboard-result.ts'
import { findEntry } from '../../pipeline/storyboards/catalog.ts'
import { enrol } from '../support/registry/members.ts'
import { openForAll } from '../support/runner/open-for-all.ts'
import { type Payload, startReferenceAgent } from '../support/servers/reference-agent.ts'
import {
  type AgentCall,
  type Damage,
  openReferenceWeb,
  serveReferenceAgent,
} from '../support/servers/storyboards.ts'

const agent = openForAll(() => startReferenceAgent(systemClock))
const web = openForAll(() =>
  openReferenceWeb(agent, {
    'faulty.example': serveReferenceAgent(agent, {
      isOpen: true,
      damage: (payload, call) => damage(payload, call),
      listen: call => calls.push(call),
    }),
  }),
)
const registry = openForAll(() => web.open({ storyboardRunsPerHour: 1_000 }))
let key: string
let damage: Damage
let calls: AgentCall[] = []

beforeAll(async () => {
  const agents = referenceTenants.map(tenant => ({ url: `https://faulty.example/${tenant}/mcp` }))
  key = await enrol(registry, { org: 'Acme', domains: ['faulty.example'], agents })
})

async function compare(id: string): Promise<StoryboardComparison> {
  const tenant = findEntry(id)!.tenant
  const url = encodeURIComponent(`https://faulty.example/${tenant}/mcp`)
  const answer = await registry.send(
    'POST',
    `/api/registry/agents/${url}/storyboard/${encodeURIComponent(id)}/compare`,
    { key },
  )
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
    fault: 'writes its versions as texts',
    storyboard: 'capability_discovery',
    damage: change(
      capabilities,
      ({ adcp }) => {
        adcp.major_versions = ['three']
      },
      args => args.protocols === undefined,
    ),
    shown: 'get_capabilities: response_schema adcp.major_versions[0]',
  },
  {
    fault: 'changes the context',
    storyboard: 'capability_discovery',
    damage: change(
      capabilities,
      payload => ({ ...payload, context: { correlation_id: 'another' } }),
      args => args.protocols !== undefined,
    ),
    shown: 'get_capabilities_filtered: field_value context.correlation_id',
  },
  {
    fault: 'accepts any version',
    storyboard: 'error_compliance',
    damage: change('get_products', accept, args => args.adcp_major_version === 99),
    shown: 'unsupported_major_version: success',
  },
  {
    fault: 'names another reason',
    storyboard: 'error_compliance',
    damage: change(
      'get_products',
      (payload, { args }) => ({ ...payload, ...withCode('CONFLICT')(), context: args.context }),
      args => args.adcp_major_version === 99,
    ),
    shown: 'unsupported_major_version: error_code',
  },
  {
    fault: 'refuses without a code',
    storyboard: 'error_compliance',
    damage: change(
      'get_products',
      (_, { args }) => ({ is_error: true, message: 'No', context: args.context }),
      args => args.adcp_major_version === 99,
    ),
    shown: 'unsupported_major_version: error_code',
  },
  {
    fault: 'takes a budget below nothing',
    storyboard: 'error_compliance',
    damage: change('create_media_buy', accept, ({ context }) =>
      context?.correlation_id.endsWith('--negative_budget'),
    ),
    shown: 'negative_budget: success',
  },
  {
    fault: 'needs no key',
    storyboard: 'refused_requests',
    damage: change('sync_accounts', accept, args => args.idempotency_key === undefined),
    shown: 'refuse_account_without_key: success',
  },
  {
    fault: 'knows tasks that nobody submitted',
    storyboard: 'refused_requests',
    damage: change('tasks_get', accept),
    shown: 'refuse_unknown_task: success',
  },
  {
    fault: 'changes an old revision',
    storyboard: 'stale_revision',
    damage: change('update_media_buy', accept, args => args.revision !== undefined),
    shown: 'refuse_stale_revision: success',
  },
  {
    fault: 'writes currencies in lower case',
    storyboard: 'media_buy_seller/refine_products',
    damage: change(
      'get_products',
      ({ products = [] }) => {
        if (products[0]) products[0].pricing_options[0].currency = 'usd'
      },
      args => args.buying_mode === 'refine',
    ),
    shown: 'get_products_refine: response_schema products[0].pricing_options[0].currency',
  },
  {
    fault: 'names another reason for what cannot be canceled',
    storyboard: 'media_buy_seller/invalid_transitions',
    damage: change('update_media_buy', (payload, { args }) =>
      payload.adcp_error && args.canceled
        ? { ...payload, ...withCode('INVALID_STATE')() }
        : payload,
    ),
    shown: 'second_cancel: error_code',
  },
  {
    fault: 'does not mark a repetition',
    storyboard: 'idempotency',
    damage: change('create_media_buy', ({ replayed: _, ...rest }) => rest),
    shown: 'create_media_buy_replay: field_value replayed',
  },
  {
    fault: 'does a repeated write again',
    storyboard: 'idempotency',
    damage: change(
      'create_media_buy',
      payload => (payload.media_buy_id ? { ...payload, media_buy_id: 'another' } : payload),
      isRepeated,
    ),
    shown: 'create_media_buy_replay: field_value media_buy_id',
  },
  {
    fault: 'answers without a payload',
    storyboard: 'audience_sync',
    damage: (payload, { task, args }) =>
      task === 'sync_audiences' && args.audiences?.[0].add ? undefined : payload,
    shown: 'create_audience: success',
  },
  {
    fault: 'covers more than everybody',
    storyboard: 'signals_baseline',
    damage: change('get_signals', ({ signals = [] }) => {
      if (signals[0]) signals[0].coverage_percentage = 250
    }),
    shown: 'search_signals: response_schema signals[0].coverage_percentage',
  },
  {
    fault: 'deploys to nobody knows what',
    storyboard: 'signals_baseline',
    damage: change(
      'activate_signal',
      ({ deployments }) => {
        deployments[0].type = 'somewhere'
      },
      args => args.destinations?.[0].type === 'platform',
    ),
    shown: 'activate_on_platform: response_schema deployments[0].type',
  },
  {
    fault: 'passes what it should fail',
    storyboard: 'content_standards',
    damage: change('calibrate_content', payload =>
      payload.verdict === 'fail' ? { ...payload, verdict: 'pass' } : payload,
    ),
    shown: 'calibrate_must_violation: field_value verdict',
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
    expect(step.reference_result.passed).not.toBe(false)
    expect(step.differs).toBe(step.user_result.passed !== step.reference_result.passed)
  }
  // What builds on the faulty step is skipped, not counted as another fault.
  const skipped = found.filter(({ step, passed }) => {
    const compared = steps.find(({ id }) => id === step)
    return passed === null && compared?.reference_result.passed !== null
  })
  expect(skipped.map(({ skip_reason }) => skip_reason)).toEqual(
    skipped.map(() => 'prerequisite_failed'),
  )
})
