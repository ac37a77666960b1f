import { defineOperation } from '../operation/operation.ts'

/** Notifies an open page that something was committed or published, so that it can update itself. */
export const changesStream = defineOperation({
  id: 'changesStream',
  method: 'GET',
  path: '/changes/stream',
  summary: 'Stream the numbers of commits and snapshots as server-sent events',
  access: 'public',
  cache: 'none',
  reply: { 200: { type: 'text/event-stream' } },
  errors: ['unavailable'],
  handle: ({ caller, services: { pageStreams } }) => ({
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    open: pageStreams.admit(caller()),
  }),
})
