import { randomUUID } from 'node:crypto'
import type { Answer, Call, Fault, Payload } from './proxy.ts'

const TRUE_CREDENTIAL = 'Bearer demo-acme-outdoor-v1'

const isRefusal = ({ payload, isError }: Answer) => isError || payload?.adcp_error !== undefined
const isDone = (answer: Answer) => !isRefusal(answer)
const isRepeat = ({ args, earlier }: Call) =>
  args.idempotency_key !== undefined &&
  earlier.some(({ args: other }) => other.idempotency_key === args.idempotency_key)
const isRead = ({ task }: Call) => /^(get|list)_/.test(task)
const isCapabilities = ({ task }: Call) => task === 'get_adcp_capabilities'

/** Lists every object below a value that has a member of this name, but for the context, which is the caller’s. */
function listHolders(value: unknown, name: string): Payload[] {
  if (Array.isArray(value)) return value.flatMap(item => listHolders(item, name))
  if (typeof value !== 'object' || value === null) return []
  const { context: _, ...members } = value as Payload
  const below = listHolders(Object.values(members), name)
  return name in members ? [value as Payload, ...below] : below
}

/** Changes every member of a name; without an edit it is left out. */
function editMembers({ payload }: Answer, name: string, edit?: (value: unknown) => unknown) {
  const holders = listHolders(payload, name)
  for (const holder of holders) {
    if (edit === undefined) delete holder[name]
    else holder[name] = edit(holder[name])
  }
  return holders.length > 0
}

const drops = (name: string): Fault => ({
  name: `leaves out ${name}`,
  answer: answer => isDone(answer) && editMembers(answer, name),
})
const edits = (
  name: string,
  member: string,
  edit: (value: unknown) => unknown,
  when: (answer: Answer, call: Call) => boolean = isDone,
): Fault => ({
  name,
  answer: (answer, call) => when(answer, call) && editMembers(answer, member, edit),
})

function refuse(answer: Answer, code: string): true {
  const adcp_error = { code, message: 'No', recovery: 'transient' }
  answer.payload = { adcp_error, errors: [adcp_error], context: answer.payload?.context }
  answer.isError = true
  return true
}

/** Answers a purchase as one that is still to be decided, where its caller is told of the decision. */
function promise(answer: Answer, { args }: Call): boolean {
  const { media_buy_id, context } = answer.payload ?? {}
  if (args.push_notification_config === undefined || media_buy_id === undefined) return false
  answer.payload = { status: 'submitted', task_id: `task-${media_buy_id}`, context }
  return true
}

/** Agents that are wrong in one way each. */
export const faults: readonly Fault[] = [
  {
    name: 'answers reads with status 500',
    answer: (answer, call) => {
      if (isCapabilities(call) || !isRead(call)) return false
      Object.assign(answer, { status: 500, raw: '{"error":"broken"}' })
      return true
    },
  },
  {
    name: 'hangs up on writes',
    answer: (answer, call) => {
      if (isRead(call) || isRefusal(answer)) return false
      answer.hangsUp = true
      return true
    },
  },
  {
    name: 'answers without content',
    answer: (answer, call) => {
      if (isCapabilities(call) || isRefusal(answer)) return false
      answer.payload = undefined
      return true
    },
  },
  {
    name: 'answers with a page of HTML',
    answer: (answer, call) => {
      if (isCapabilities(call) || !isRead(call)) return false
      answer.headers['content-type'] = 'text/html'
      answer.raw = '<!doctype html><title>Sign in</title>'
      return true
    },
  },
  drops('media_buy_id'),
  drops('products'),
  drops('pagination'),
  drops('account_id'),
  drops('creatives'),
  edits('writes currencies in lower case', 'currency', value => String(value).toLowerCase()),
  edits('invents a status', 'status', () => 'fine'),
  edits('names formats by texts', 'format_ids', () => ['display_300x250']),
  edits('writes totals as texts', 'total_count', String),
  edits('counts one too few', 'total_count', value => Number(value) - 1),
  edits('names no reason that is known', 'action', () => 'perhaps'),
  {
    name: 'does an old request again',
    ask(call) {
      if (!isRepeat(call)) return false
      call.args.idempotency_key = `again-${call.earlier.length}-0123456789abcdef`
      return true
    },
  },
  drops('replayed'),
  {
    name: 'needs no key',
    ask(call) {
      if (isRead(call) || call.args.idempotency_key !== undefined) return false
      if (!/^(create|update|sync|activate)_/.test(call.task)) return false
      call.args.idempotency_key = `made-${call.earlier.length}-0123456789abcdef`
      return true
    },
  },
  {
    name: 'names another reason for what it refuses',
    answer(answer) {
      const error = answer.payload?.adcp_error
      if (error === undefined) return false
      for (const copy of [error, ...(answer.payload!.errors ?? [])])
        copy.code = 'SERVICE_UNAVAILABLE'
      return true
    },
  },
  {
    name: 'refuses without a code',
    answer(answer) {
      if (answer.payload?.adcp_error === undefined) return false
      answer.payload = { message: 'No', context: answer.payload.context }
      return true
    },
  },
  {
    name: 'accepts what it refuses',
    answer(answer) {
      if (answer.payload?.adcp_error === undefined) return false
      answer.payload = { context: answer.payload.context, done: true }
      answer.isError = false
      return true
    },
  },
  {
    name: 'changes an old revision',
    ask({ task, args }) {
      if (task !== 'update_media_buy' || args.revision === undefined) return false
      delete args.revision
      return true
    },
  },
  {
    name: 'refuses writes for now',
    answer: (answer, call) =>
      /^(create|update|sync|activate)_/.test(call.task) && refuse(answer, 'SERVICE_UNAVAILABLE'),
  },
  {
    name: 'loses the context',
    answer({ payload }) {
      if (payload?.context === undefined) return false
      delete payload.context
      return true
    },
  },
  {
    name: 'changes the context',
    answer({ payload }) {
      if (payload?.context === undefined) return false
      payload.context = { correlation_id: 'another' }
      return true
    },
  },
  {
    name: 'tells of the first request in a conflict',
    answer({ payload }) {
      if (payload?.adcp_error?.code !== 'IDEMPOTENCY_CONFLICT') return false
      payload.adcp_error.media_buy_id = 'the-first'
      return true
    },
  },
  {
    name: 'repeats the credential',
    answer({ payload }, { authorization, task }) {
      if (payload === undefined || task === 'get_adcp_capabilities') return false
      payload.ext = { caller: authorization }
      return true
    },
  },
  {
    name: 'goes back from active to what came before',
    answer(answer, { task }) {
      if (task !== 'get_media_buys' || isRefusal(answer)) return false
      return editMembers(answer, 'status', () => 'pending_creatives')
    },
  },
  {
    name: 'takes any credential',
    authorize: credential => (credential === TRUE_CREDENTIAL ? undefined : TRUE_CREDENTIAL),
  },
  {
    name: 'refuses without a challenge',
    refusal(answer) {
      if (answer.headers['www-authenticate'] === undefined) return false
      delete answer.headers['www-authenticate']
      return true
    },
  },
  {
    name: 'names its versions by texts',
    answer({ payload }, call) {
      if (!isCapabilities(call) || payload?.adcp === undefined) return false
      payload.adcp.major_versions = ['3']
      return true
    },
  },
  {
    name: 'says nothing of protocols',
    answer({ payload }, call) {
      if (!isCapabilities(call) || payload === undefined) return false
      delete payload.supported_protocols
      return true
    },
  },
  {
    name: 'promises a webhook and posts none',
    answer: promise,
    post: () => 'drop',
  },
  {
    name: 'posts webhooks too late',
    answer: promise,
    post: () => 'late',
  },
  {
    name: 'posts a webhook again by another key',
    post({ body }) {
      body.idempotency_key = `again-${randomUUID()}`
      return true
    },
  },
  {
    name: 'signs another webhook than it posts',
    post({ headers }) {
      headers.signature = headers.signature?.replace(/:[^:]{8}/, ':AAAAAAAA') ?? ''
      return true
    },
  },
  {
    name: 'posts webhooks without a signature',
    post({ headers }) {
      delete headers.signature
      delete headers['signature-input']
      return true
    },
  },
  {
    name: 'posts webhooks without a key',
    post({ body }) {
      delete body.idempotency_key
      return true
    },
  },
  {
    name: 'posts webhooks of another shape',
    post({ body }) {
      body.status = 'fine'
      return true
    },
  },
  {
    name: 'answers every cursor with the first page',
    ask({ args }) {
      if (args.pagination?.cursor === undefined) return false
      delete args.pagination.cursor
      return true
    },
  },
  {
    name: 'promises a page after the last',
    answer({ payload }) {
      if (payload?.pagination?.has_more !== false) return false
      Object.assign(payload.pagination, { has_more: true, cursor: 'bm9uZQ' })
      return true
    },
  },
  edits('writes null for a description', 'description', () => null),
  edits('writes times as people do', 'created_at', () => '1 April 2026'),
  edits('writes revisions as texts', 'revision', String),
  edits('prices by a model of its own', 'pricing_model', () => 'cpx'),
  edits('prices below nothing', 'fixed_price', () => -1),
  {
    name: 'writes codes of errors in lower case',
    answer(answer) {
      const { adcp_error: error, errors = [] } = answer.payload ?? {}
      if (error === undefined) return false
      for (const copy of [error, ...errors]) copy.code = copy.code.toLowerCase()
      return true
    },
  },
  {
    name: 'calls every refusal final',
    answer: answer => isRefusal(answer) && editMembers(answer, 'recovery', () => 'terminal'),
  },
  {
    name: 'answers a replay with another id',
    answer(answer) {
      if (answer.payload?.replayed !== true) return false
      return editMembers(answer, 'media_buy_id', value => `${value}-again`)
    },
  },
  {
    name: 'ignores what is asked for',
    ask({ args, task }) {
      if (!/^(get|list)_/.test(task)) return false
      const names = ['filters', 'media_buy_ids', 'creative_ids', 'format_ids'].filter(
        name => args[name] !== undefined,
      )
      for (const name of names) delete args[name]
      return names.length > 0
    },
  },
  edits('forgets what was bought', 'media_buys', () => []),
  {
    name: 'posts webhooks for another task',
    post({ body }) {
      body.task_id = 'another'
      return true
    },
  },
  {
    name: 'posts webhooks without a digest',
    post({ headers }) {
      delete headers['content-digest']
      return true
    },
  },
]
