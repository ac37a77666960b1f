import { isObject, type JsonObject } from '../parse/object-reader.ts'
import { readPath } from './read-path.ts'

/** A kind of things that have a status, where answers tell of them, and to which status one may go. */
interface Lifecycle {
  kind: string
  id: string
  status: string
  /** Paths of the things, by the tasks that tell of them; `` stands for the whole answer. */
  places: Readonly<Record<string, string>>
  next: Readonly<Record<string, readonly string[]>>
  /** Schema of the protocol whose text says so. */
  schema: string
}

const all = (tasks: readonly string[], path: string) =>
  Object.fromEntries(tasks.map(task => [task, path]))

/** Lifecycles as the protocol’s enumerations describe them. */
const lifecycles: readonly Lifecycle[] = [
  {
    kind: 'media buy',
    id: 'media_buy_id',
    status: 'status',
    places: { create_media_buy: '', update_media_buy: '', get_media_buys: 'media_buys[*]' },
    next: {
      pending_creatives: ['pending_start', 'active', 'paused', 'canceled', 'rejected'],
      pending_start: ['active', 'paused', 'canceled', 'rejected'],
      active: ['paused', 'completed', 'canceled'],
      paused: ['active', 'completed', 'canceled'],
      completed: [],
      rejected: [],
      canceled: [],
    },
    schema: 'enums/media-buy-status.json',
  },
  {
    kind: 'creative',
    id: 'creative_id',
    status: 'status',
    places: all(['sync_creatives', 'list_creatives'], 'creatives[*]'),
    next: {
      processing: ['pending_review', 'rejected'],
      pending_review: ['approved', 'rejected'],
      approved: ['archived', 'rejected'],
      archived: ['approved'],
      rejected: ['processing', 'pending_review'],
    },
    schema: 'enums/creative-status.json',
  },
  {
    kind: 'approval of a creative',
    id: 'creative_id',
    status: 'approval_status',
    places: {
      ...all(['create_media_buy', 'update_media_buy'], 'packages[*].creative_approvals[*]'),
      get_media_buys: 'media_buys[*].packages[*].creative_approvals[*]',
    },
    next: {
      pending_review: ['approved', 'rejected'],
      approved: ['rejected'],
      rejected: ['pending_review'],
    },
    schema: 'enums/creative-approval-status.json',
  },
  {
    kind: 'account',
    id: 'account_id',
    status: 'status',
    places: all(['sync_accounts', 'list_accounts'], 'accounts[*]'),
    next: {
      pending_approval: ['active', 'rejected'],
      active: ['suspended', 'payment_required', 'closed'],
      suspended: ['active', 'payment_required', 'closed'],
      payment_required: ['active', 'suspended', 'closed'],
      rejected: [],
      closed: [],
    },
    schema: 'enums/account-status.json',
  },
  {
    kind: 'session',
    id: 'session_id',
    status: 'status',
    places: all(['si_initiate_session', 'si_send_message', 'si_terminate_session'], ''),
    next: {
      active: ['pending_handoff', 'complete', 'terminated'],
      pending_handoff: ['complete', 'terminated'],
      complete: [],
      terminated: [],
    },
    schema: 'enums/si-session-status.json',
  },
  {
    kind: 'proposal',
    id: 'proposal_id',
    status: 'proposal_status',
    places: { get_products: 'proposals[*]' },
    next: { draft: ['committed'], committed: [] },
    schema: 'enums/proposal-status.json',
  },
  {
    kind: 'audience',
    id: 'audience_id',
    status: 'status',
    places: { sync_audiences: 'audiences[*]' },
    next: {
      processing: ['ready', 'too_small'],
      ready: ['processing', 'too_small'],
      too_small: ['processing', 'ready'],
    },
    schema: 'enums/audience-status.json',
  },
]

/** Status of one thing that an answer told. */
interface Observed {
  kind: string
  id: string
  status: string
  path: string
  next: Lifecycle['next']
  schema: string
}

/** Lists the statuses that an answer to a task tells. */
export function listObserved(task: string, payload: JsonObject): Observed[] {
  return lifecycles.flatMap(({ kind, id, status, places, next, schema }) => {
    const place = places[task]
    if (place === undefined) return []
    const things = place === '' ? [payload] : readPath(payload, place).filter(isObject)
    // Beside the id of what was bought, `completed` is the status of the task.
    const isTaskStatus = place === '' && kind === 'media buy'
    const path = place === '' ? status : `${place}.${status}`
    return things.flatMap(thing => {
      const [name, now] = [thing[id], thing[status]]
      if (typeof name !== 'string' || typeof now !== 'string') return []
      if (isTaskStatus && now === 'completed') return []
      return [{ kind, id: name, status: now, path, next, schema }]
    })
  })
}
