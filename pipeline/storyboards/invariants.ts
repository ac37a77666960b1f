import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import type { ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { JsonObject } from '../parse/object-reader.ts'
import type { TaskOutcome } from './judged.ts'
import { listObserved } from './lifecycles.ts'
import type { RunState } from './run-state.ts'

/** A step and its answer, of which some things hold in every storyboard, whether it says so or not. */
interface Answered {
  step: StoryboardStep
  task: string
  args: JsonObject
  outcome: TaskOutcome
  hasCredential(text: string): boolean
}

/** Checks what holds for an answer by itself. */
export function checkAnswerInvariants(judged: Answered): ValidationResult[] {
  return [...checkConflict(judged.outcome), ...checkSecrets(judged)]
}

/** Checks what holds over all answers of a run, for a step that passed by itself. */
export function checkRunInvariants(judged: Answered, state: RunState): ValidationResult[] {
  const denied = checkDenial(judged, state)
  if (judged.step.expect_error || judged.outcome.error !== undefined) return denied
  return [...denied, ...checkStatuses(judged, state)]
}

/** Members of the error by which a second use of an idempotency key is refused: others could tell of the first. */
const conflictMembers: ReadonlySet<string> = new Set([
  'code',
  'message',
  'status',
  'retry_after',
  'correlation_id',
  'request_id',
  'operation_id',
])

function checkConflict({ error }: TaskOutcome): ValidationResult[] {
  if (error?.code !== 'IDEMPOTENCY_CONFLICT') return []
  const leaked = Object.keys(error.body ?? {}).filter(name => !conflictMembers.has(name))
  const passed = leaked.length === 0
  return [
    {
      check: 'conflict_tells_nothing',
      passed,
      description: 'The refusal of a used idempotency key has nothing of the earlier request',
      ...(!passed && { expected: [...conflictMembers], actual: leaked.slice(0, 10) }),
    },
  ]
}

const CREDENTIAL = /\bbearer\s+[\w.~+/=-]{10,}/i
const credentialMembers = new Set(['authorization', 'api_key', 'apikey', 'bearer', 'x-api-key'])

/** Checks that an answer has no credential in it, the caller’s or another. */
function checkSecrets({
  outcome: { payload, error },
  hasCredential,
}: Answered): ValidationResult[] {
  const said = { ...payload, ...(error?.body && { error: error.body }) }
  const place = hasCredential(JSON.stringify(said)) ? 'the credential' : findCredential(said)
  if (place === undefined) return []
  const description = 'The answer does not repeat a credential'
  const [expected, actual] = ['no credential in the answer', place]
  return [{ check: 'no_secret_echo', passed: false, description, expected, actual }]
}

function findCredential(value: unknown): string | undefined {
  if (typeof value === 'string') return CREDENTIAL.test(value) ? 'a bearer token' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    if (credentialMembers.has(name.toLowerCase())) return `a member ${name}`
    const found = findCredential(member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Checks that nothing went back in its lifecycle, and remembers where each is now. */
function checkStatuses({ task, outcome }: Answered, { statuses }: RunState): ValidationResult[] {
  for (const { kind, id, status, path, next, schema } of listObserved(task, outcome.payload)) {
    const key = `${kind} ${id}`
    const before = statuses.get(key)
    const allowed = before === undefined ? undefined : next[before]
    if (before !== status && allowed !== undefined && !allowed.includes(status)) {
      const description = `A ${kind} goes from one status to another as in ${schema}`
      const expected = [before, ...allowed]
      const check = 'status_monotonic'
      return [{ check, passed: false, description, path, expected, actual: `${before}, ${status}` }]
    }
    statuses.set(key, status)
  }
  return []
}

const denials: ReadonlySet<unknown> = new Set([
  'GOVERNANCE_DENIED',
  'CAMPAIGN_SUSPENDED',
  'PERMISSION_DENIED',
  'POLICY_VIOLATION',
  'TERMS_REJECTED',
  'COMPLIANCE_UNSATISFIED',
])
const writes =
  /^((create|update)_media_buy|activate_signal|acquire_rights|(create|update|delete)_(property|collection)_list)$/
const boughtIds = ['media_buy_id', 'activation_id', 'acquisition_id', 'list_id', 'property_list_id']
/** Statuses in which a purchase has nothing yet. */
const without: ReadonlySet<unknown> = new Set(['rejected', 'canceled', 'submitted', 'working'])
const WHOLE_RUN = ''

/** Checks that nothing is had under a plan after it was denied, unless the storyboard meant it to be denied. */
function checkDenial(
  { step, task, args, outcome: { payload, error } }: Answered,
  { deniedPlans }: RunState,
): ValidationResult[] {
  const plan = [payload.plan_id, args.plan_id].find(id => typeof id === 'string') as
    | string
    | undefined
  const isDenied =
    denials.has(error?.code) || (task === 'check_governance' && payload.status === 'denied')
  if (isDenied) {
    if (!step.expect_error) deniedPlans.add(plan ?? WHOLE_RUN)
    return []
  }
  if (step.expect_error || error !== undefined || !writes.test(task)) return []
  const had = boughtIds.find(id => typeof payload[id] === 'string')
  const isAfter = deniedPlans.has(WHOLE_RUN) || (plan !== undefined && deniedPlans.has(plan))
  if (had === undefined || without.has(payload.status) || !isAfter) return []
  const description = 'Nothing is bought or changed under a plan that was denied'
  const [check, expected] = ['denial_blocks_mutation', 'a refusal']
  return [{ check, passed: false, description, path: had, expected, actual: payload[had] }]
}
