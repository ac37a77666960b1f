import { createHash } from 'node:crypto'
import { z } from 'zod'
import { AccountRef, CallersId, resolveAccount } from '../accounts.ts'
import { findSignalPriceId, signals } from '../catalogue/signals.ts'
import { TaskError } from '../errors.ts'
import { ANY_ACCOUNT, type Deployment, toActivationScope } from '../signals/activations.ts'
import { defineTask } from '../task.ts'
import type { TaskContext } from '../task-context.ts'

const Destination = z
  .discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('platform'),
      platform: CallersId,
      account: z.string().max(200).optional(),
    }),
    z.looseObject({
      type: z.literal('agent'),
      agent_url: z.url().max(500),
      account: z.string().max(200).optional(),
    }),
  ])
  .describe('A platform, or a sales agent')
type Destination = z.infer<typeof Destination>

const Input = z.object({
  signal_agent_segment_id: CallersId,
  destinations: z.array(Destination).min(1).max(100).describe('Where it shall be used'),
  action: z.enum(['activate', 'deactivate']).default('activate'),
  pricing_option_id: z.string().optional(),
  account: AccountRef.optional(),
})

export const activateSignal = defineTask({
  name: 'activate_signal',
  title: 'Activate a signal',
  description: 'Activates or deactivates an audience at platforms and sales agents',
  input: Input,
  mutates: true,
  run({ signal_agent_segment_id: id, pricing_option_id, ...request }, context) {
    assertOffered(id, pricing_option_id)
    const accountId = request.account
      ? resolveAccount(request.account, context).account_id
      : ANY_ACCOUNT
    const deployments = request.destinations.map(destination =>
      request.action === 'activate'
        ? activate(id, destination, accountId, context)
        : deactivate(id, destination, accountId, context),
    )
    return { deployments, sandbox: true }
  },
})

function assertOffered(id: string, pricingOptionId: string | undefined): void {
  const signal = signals.find(signal => signal.id === id)
  if (!signal) {
    const message = `signal_agent_segment_id: there is no signal ${id} here`
    throw new TaskError('SIGNAL_NOT_FOUND', message, { field: 'signal_agent_segment_id' })
  }
  if (pricingOptionId === undefined || pricingOptionId === findSignalPriceId(signal)) return
  throw new TaskError('INVALID_REQUEST', `pricing_option_id: ${id} has no ${pricingOptionId}`, {
    field: 'pricing_option_id',
  })
}

/** Picks the fields that identify a destination; anything else that a caller sends is dropped. */
function pickDestination(destination: Destination) {
  const { account } = destination
  const where =
    destination.type === 'platform'
      ? { type: destination.type, platform: destination.platform }
      : { type: destination.type, agent_url: destination.agent_url }
  return { ...where, ...(account !== undefined && { account }) }
}

function toDeploymentId(signalId: string, destination: Destination): string {
  const named = JSON.stringify([signalId, pickDestination(destination)])
  return createHash('sha256').update(named).digest('hex').slice(0, 24)
}

function activate(
  signalId: string,
  destination: Destination,
  accountId: string,
  context: TaskContext,
): Deployment {
  const { state, now } = context
  const id = toDeploymentId(signalId, destination)
  const scope = toActivationScope(context, accountId)
  const segment = `${signalId}_${id.slice(0, 8)}`
  const deployment: Deployment = {
    ...pickDestination(destination),
    is_live: true,
    activation_key:
      destination.type === 'platform'
        ? { type: 'segment_id', segment_id: segment }
        : { type: 'key_value', key: 'audience_segment', value: segment },
    deployed_at:
      state.get('activation', scope, id)?.deployment.deployed_at ?? new Date(now).toISOString(),
  }
  state.put('activation', scope, id, { signalId, deployment }, { now })
  return deployment
}

function deactivate(
  signalId: string,
  destination: Destination,
  accountId: string,
  context: TaskContext,
): Deployment {
  const scope = toActivationScope(context, accountId)
  context.state.remove('activation', scope, toDeploymentId(signalId, destination))
  return { ...pickDestination(destination), is_live: false }
}
