import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refuse, refuseNotSetUp } from '../../../pipeline/core/errors.ts'
import { findMailPlace } from '../../../pipeline/core/mail-place.ts'
import { EnrolledUrl } from '../../../pipeline/model/accounts/member.ts'
import { Watches, WatchView } from '../../../pipeline/model/responses/watches.ts'
import { type WatchKind, watchPaces } from '../../../pipeline/model/watch.ts'
import { resolveAgentUrl } from '../../../pipeline/read/lookups/agent-urls.ts'
import { findKeyCreator, type Watcher } from '../../../pipeline/read/lookups/people.ts'
import { findWatch, listWatches } from '../../../pipeline/read/lookups/watches.ts'
import type { Principal } from '../../auth/principal.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { defineOperation } from '../../operation/operation.ts'
import type { Services } from '../../operation/services.ts'
import { unwrapAnswer } from '../../operation/submission-result.ts'
import { noContent, replyOk } from '../../responses/reply.ts'
import { writeErrors } from '../write-errors.ts'

const declared = {
  group: 'Change Feed',
  access: 'bearer',
  cache: 'private',
  isPersonal: true,
} as const

const place = {
  path: '/api/me/watches/:id',
  params: z.object({ id: z.uuid().toLowerCase().describe('The watch’s `watch_id`') }),
} as const

const pace = z
  .enum(watchPaces)
  .describe('`at_once` for an email right away, `daily` for a daily digest')

const NO_CREATOR =
  'a key watches for the person who created it: sign in with a verified email address, and create one in the dashboard'

export const listOwnWatches = defineOperation({
  ...declared,
  id: 'listWatches',
  isForPeople: true,
  method: 'GET',
  path: '/api/me/watches',
  summary: 'List what you watch',
  reply: { 200: Watches },
  errors: ['invalid_request', 'forbidden'],
  handle: ({ principal, services: { reader, config } }) => {
    if (principal.kind !== 'user')
      refuse('forbidden', 'only the person who created a watch can see it')
    const watches = listWatches(reader, principal.id)
    return replyOk({ watches, most: config.LIMITS.watchesPerPerson })
  },
})

export const createWatch = defineOperation({
  ...declared,
  id: 'createWatch',
  method: 'POST',
  path: '/api/me/watches',
  summary: 'Watch a domain, a brand or an agent by email',
  description:
    'You get an email when a domain’s file breaks or is valid again, when the domain gains or loses ' +
    'an agent, when an agent claims to sell the domain’s ads, or when someone saves a domain that looks like it. For ' +
    'an agent, you get one when a publisher starts or stops authorizing it, and when its test results or ' +
    'badges change. Emails go to your verified email address; a watch created with a key belongs to the person ' +
    'who created the key in the dashboard, and only they can list, change or delete it. Watching the same thing again changes how often you ' +
    'get emails, except with a key. Returns 503 if this registry sends no email.',
  writes: true,
  body: z
    .object({
      domain: PastedDomain.optional().describe(
        'Watch this domain: both its files and who can sell its ads',
      ),
      brand: PastedDomain.optional().describe('Watch only the brand of this domain'),
      agent: EnrolledUrl.optional().describe('Watch the agent at this URL'),
      pace: pace.default('at_once'),
    })
    .refine(({ domain, brand, agent }) => [domain, brand, agent].filter(Boolean).length === 1, {
      error: 'must have exactly one of `domain`, `brand` and `agent`',
    }),
  reply: { 201: WatchView },
  errors: [...writeErrors, 'conflict'],
  handle: async ({ body: { pace, agent, ...domains }, principal, services }) => {
    const { user_id, email } = requireWatcher(principal, services)
    const { reader, writer, config } = services
    const named = { ...domains, agent: agent && resolveAgentUrl(reader, agent) }
    const [kind, subject] = Object.entries(named).find(pair => pair[1] !== undefined) as [
      WatchKind,
      string,
    ]
    const isKey = principal.kind === 'key'
    // What the person chose stays as it is.
    const known = isKey
      ? listWatches(reader, user_id).find(own => own.kind === kind && own.subject === subject)
      : undefined
    if (known) return { status: 201, body: hideEmail(known) }
    const { watch_id } = unwrapAnswer(
      await writer.submit({
        op: 'watch.begin',
        watch_id: randomUUID(),
        user_id,
        email,
        kind,
        subject: subject as never,
        pace,
        most: config.LIMITS.watchesPerPerson,
      }),
    )
    const watch =
      findWatch(reader, user_id, String(watch_id)) ??
      refuse('not_found', 'the watch has since ended')
    return { status: 201, body: isKey ? hideEmail(watch) : watch }
  },
})

export const changeWatch = defineOperation({
  ...declared,
  ...place,
  id: 'changeWatch',
  isForPeople: true,
  method: 'PATCH',
  summary: 'Change how often you get emails about what you watch',
  writes: true,
  body: z.object({ pace }),
  reply: { 200: WatchView },
  errors: ['invalid_request', 'not_found', 'too_large', 'unsupported_media_type', 'unavailable'],
  handle: async ({ params: { id: watch_id }, body: { pace }, principal, services }) => {
    const { id: user_id } = principal
    unwrapAnswer(await services.writer.submit({ op: 'watch.change', watch_id, user_id, pace }))
    return replyOk(requireOwn(watch_id, user_id, services))
  },
})

export const deleteWatch = defineOperation({
  ...declared,
  ...place,
  id: 'deleteWatch',
  isForPeople: true,
  method: 'DELETE',
  summary: 'Delete a watch',
  writes: true,
  reply: { 204: null },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ params: { id: watch_id }, principal, services }) => {
    const { id: user_id } = principal
    unwrapAnswer(await services.writer.submit({ op: 'watch.end', watch_id, user_id }))
    return noContent
  },
})

/** Leaves out the address of the person, which is no business of whoever has their key. */
function hideEmail({ email: _, ...watch }: WatchView): WatchView {
  return watch
}

/**
 * Finds who watches where this caller begins a watch: a key stands for the person who created it. Refuses where the
 * registry cannot write to them.
 */
function requireWatcher(
  { kind, id, org_id = '', person }: Principal,
  { reader, config, keys, baseUrl }: Services,
): Watcher {
  const creator = kind === 'key' ? findKeyCreator(reader, id, org_id) : undefined
  const { user_id, email } = creator ?? { user_id: id, email: person?.email }
  if (email === undefined && kind === 'key') refuse('forbidden', NO_CREATOR)
  if (findMailPlace(config, baseUrl()) === undefined || keys === undefined)
    refuseNotSetUp('this registry sends no email')
  if (email === undefined)
    refuse('forbidden', 'your sign-in has no verified email address to write to')
  return { user_id, email }
}

function requireOwn(watchId: string, userId: string, { reader }: Services) {
  return findWatch(reader, userId, watchId) ?? refuse('not_found', 'you have no watch with this ID')
}
