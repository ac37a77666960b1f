import { z } from 'zod'
import { refuse } from '../../pipeline/core/errors.ts'
import { readWatchLink, type WatchLink } from '../../pipeline/core/keys/watch-link.ts'
import { WATCH_END_PATH } from '../../pipeline/model/watch.ts'
import { countDailyWatches, findWatchOfLink } from '../../pipeline/read/lookups/watches.ts'
import { defineOperation, type Operation } from '../operation/operation.ts'
import type { Services } from '../operation/services.ts'
import { unwrapAnswer } from '../operation/submission-result.ts'
import type { Sent } from '../responses/reply.ts'
import { HTML, pageHeaders } from './headers.ts'
import type { View } from './view.ts'
import type { Ended } from './views/watch-end.tsx'

const declared = {
  path: WATCH_END_PATH,
  access: 'public',
  cache: 'none',
  isPage: true,
  query: z.object({
    token: z.string().max(1_000).default('').describe('Token of a link in an email'),
  }),
} as const

const question = defineOperation({
  ...declared,
  id: 'watchEndPage',
  method: 'GET',
  summary: 'Ask to confirm an unsubscribe link',
  reply: { 200: { type: HTML } },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  handle: async ({ query: { token }, services }) => {
    const link = requireLink(token, services)
    const { showQuestion } = await import('./views/watch-end.tsx')
    return reply(showQuestion(findEnded(link, services), token), services)
  },
})

const ending = defineOperation({
  ...declared,
  id: 'watchEnd',
  method: 'POST',
  summary: 'Unsubscribe with the link in an email',
  writes: true,
  raw: true,
  // Forms and mail programs (RFC 8058) say all they have to say in the address.
  body: z.instanceof(Buffer).optional(),
  reply: { 200: { type: HTML } },
  errors: ['invalid_request', 'not_found', 'too_large', 'unavailable'],
  handle: async ({ query: { token }, services }) => {
    const link = requireLink(token, services)
    const ended = findEnded(link, services)
    if (ended !== undefined) {
      const operation =
        'watch_id' in link
          ? ({ op: 'watch.end', ...link } as const)
          : ({ op: 'watch.daily.end', user_id: link.daily_of } as const)
      unwrapAnswer(await services.writer.submit(operation))
    }
    const { showEnded } = await import('./views/watch-end.tsx')
    return reply(showEnded(ended), services)
  },
})

function requireLink(token: string, { keys }: Pick<Services, 'keys'>): WatchLink {
  const link = keys && readWatchLink(keys, token)
  return (
    link ??
    refuse('not_found', 'this unsubscribe link is incomplete or was not sent by this registry')
  )
}

function findEnded(link: WatchLink, { reader }: Pick<Services, 'reader'>): Ended {
  if ('watch_id' in link) return findWatchOfLink(reader, link.watch_id)
  const daily = countDailyWatches(reader, link.daily_of)
  return daily === 0 ? undefined : { daily }
}

async function reply(view: View, services: Services): Promise<Sent> {
  const { renderDocument } = await import('./parts/document.tsx')
  const body = renderDocument(view, services, undefined)
  const headers = { ...pageHeaders, 'x-robots-tag': 'noindex' }
  return { status: 200, body, type: HTML, headers }
}

/** The page that ends what a mail is about, also for somebody who is not signed in. */
export const watchEndPages: readonly Operation[] = [question, ending]
