import { SECOND } from '../core/clock.ts'
import { readObject } from '../crawl/mcp/message.ts'
import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { StepResult } from '../model/storyboards/storyboard-result.ts'
import type { AgentSession } from './agent-session.ts'
import { checkDeliverySignatures } from './agent-signer.ts'
import { toSkippedResult } from './plan-step.ts'
import { hasPassed, type RunState } from './run-state.ts'
import { checkSchema } from './schemas.ts'
import type { Delivery, WebhookInbox } from './webhook-inbox.ts'

const POLL_MS = SECOND / 2
/** Time after the last webhook in which another one of the same event would have come. */
const SETTLED_MS = 4 * SECOND
/** Time in which one comes, if at all, of a task that was done at once. */
const OPTIONAL_MS = 5 * SECOND
const KEY = /^[\w.:-]{16,255}$/

/** Waits for the webhooks that an earlier step made an agent post, and judges them. */
export async function waitForWebhooks(
  step: StoryboardStep,
  task: string,
  inbox: WebhookInbox,
  state: RunState,
  session: AgentSession,
): Promise<StepResult> {
  const trigger = step.triggered_by ?? ''
  if (!hasPassed(state, trigger)) return toSkippedResult(step, task, 'prerequisite_failed')
  const started = performance.now()
  const isSubmitted = state.submitted.has(trigger)
  const deliveries = await collect(step, inbox, session, isSubmitted)
  // What was done at once needs no webhook.
  if (deliveries.length === 0 && !isSubmitted) {
    return toSkippedResult(step, task, 'not_applicable')
  }
  const isCutOff = session.hasEnded && deliveries.length < step.expect_min_deliveries
  if (isCutOff) return toSkippedResult(step, task, 'timed_out')
  const validations = await checkDeliveries(step, task, deliveries, state, session)
  return {
    step: step.id,
    task,
    passed: validations.every(({ passed }) => passed),
    duration_ms: Math.round(performance.now() - started),
    validations: session.hide(validations),
  }
}

/** Collects webhooks until there are as many as the step wants, or its time is over. */
async function collect(
  { triggered_by = '', timeout_seconds, retry_trigger, ...step }: StoryboardStep,
  inbox: WebhookInbox,
  session: AgentSession,
  isSubmitted: boolean,
): Promise<Delivery[]> {
  const wanted = (retry_trigger?.count ?? 0) + 1
  const started = performance.now()
  const isLate = () => {
    const isDue = isSubmitted || deliveries.length > 0
    const waitMs = isDue ? timeout_seconds * SECOND : OPTIONAL_MS
    return performance.now() - started > waitMs
  }
  let deliveries: Delivery[] = []
  let lastAt = Number.POSITIVE_INFINITY
  const isDone = () => {
    if (deliveries.length < wanted) return false
    const isCounted = step.expect_max_deliveries_per_logical_event !== undefined
    return !isCounted || performance.now() - lastAt > SETTLED_MS
  }
  while (!session.hasEnded && !isLate()) {
    const now = await inbox.list(triggered_by)
    if (now.length > deliveries.length) lastAt = performance.now()
    deliveries = now
    if (isDone()) break
    await session.wait(POLL_MS)
  }
  return deliveries
}

async function checkDeliveries(
  step: StoryboardStep,
  task: string,
  deliveries: readonly Delivery[],
  state: RunState,
  session: AgentSession,
): Promise<ValidationResult[]> {
  const min = step.expect_min_deliveries
  const arrived = judge(
    'webhook_received',
    deliveries.length >= min,
    min === 1
      ? 'A webhook arrives'
      : `A webhook that is refused is sent again, ${min} times in all`,
    { expected: min, actual: deliveries.length },
  )
  if (!arrived.passed) return [arrived]
  if (task === 'expect_webhook_signature_valid') {
    return [arrived, await checkDeliverySignatures(deliveries.slice(0, 1), state, session)]
  }
  const payloads = deliveries.map(({ body }) => readObject(Buffer.from(body, 'base64')) ?? {})
  const keys = [...new Set(payloads.map(({ idempotency_key }) => idempotency_key))]
  if (task === 'expect_webhook_retry_keys_stable') {
    const same = judge(
      'webhook_keys',
      keys.length === 1,
      'Each attempt has the same idempotency_key',
      {
        path: 'idempotency_key',
        expected: 'one key',
        actual: keys.slice(0, 5),
      },
    )
    const signed = step.verify_signature_on_every_delivery
      ? [await checkDeliverySignatures(deliveries, state, session)]
      : []
    return [arrived, same, ...signed]
  }
  return [arrived, ...checkPayloads(step, payloads, keys, state)]
}

function checkPayloads(
  {
    expect_max_deliveries_per_logical_event: max,
    webhook_payload_schema_ref,
    ...step
  }: StoryboardStep,
  [first = {}]: Record<string, unknown>[],
  keys: readonly unknown[],
  { storyboard: { source }, context: { protocolName } }: RunState,
): ValidationResult[] {
  const [key] = keys
  const results: ValidationResult[] = []
  if (step.expect_idempotency_key) {
    const passed = typeof key === 'string' && KEY.test(key)
    const place = { path: 'idempotency_key', expected: KEY.source, actual: key ?? null }
    results.push(judge('webhook_key', passed, 'The webhook has an idempotency_key', place))
  }
  if (max !== undefined) {
    const what = `No more than ${max} events are told of`
    results.push(
      judge('webhook_events', keys.length <= max, what, { expected: max, actual: keys.length }),
    )
  }
  if (webhook_payload_schema_ref !== undefined && source.schemas !== undefined) {
    const fault = checkSchema(source.schemas, webhook_payload_schema_ref, first, protocolName)
    const isValid = fault === undefined || fault === 'valid'
    const what = `The webhook matches ${webhook_payload_schema_ref}`
    const more = isValid ? {} : { path: fault.place, expected: fault.message, actual: null }
    results.push(judge('webhook_schema', isValid, what, more))
  }
  return results
}

function judge(
  check: string,
  passed: boolean,
  description: string,
  { path, expected, actual }: { path?: string; expected?: unknown; actual?: unknown },
): ValidationResult {
  return {
    check,
    passed,
    description,
    ...(path !== undefined && { path }),
    ...(!passed && { expected, actual }),
  }
}
