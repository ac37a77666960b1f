import type { FastifyInstance } from 'fastify'
import type { AgentServices } from './call-task.ts'
import { PREVIEW_STYLE } from './creatives/render.ts'
import { TaskError } from './errors.ts'

/** Headers that isolate pages: whatever a creative contains, it reaches nothing of ours. */
const headers = {
  'content-security-policy': `sandbox allow-popups; default-src 'none'; img-src http: https: data:; media-src http: https:; style-src ${PREVIEW_STYLE}`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, max-age=3600',
}

/** Serves previews and drawn pictures to browsers, which have no credential. */
export function addPages(app: FastifyInstance, { state }: AgentServices): void {
  app.get<{ Params: { id: string } }>('/previews/:id', (request, reply) => {
    state.refresh()
    const html = state.get('preview', '', request.params.id.slice(0, 100))
    if (html === undefined) throw buildNotFound()
    return reply.headers(headers).type('text/html; charset=utf-8').send(html)
  })
  app.get<{ Params: { id: string } }>('/pictures/:id.svg', (request, reply) => {
    state.refresh()
    const svg = state.get('picture', '', request.params.id.slice(0, 100))
    if (svg === undefined) throw buildNotFound()
    return reply
      .headers({ ...headers, 'access-control-allow-origin': '*' })
      .type('image/svg+xml')
      .send(svg)
  })
}

function buildNotFound() {
  const error = new TaskError('REFERENCE_NOT_FOUND', 'It does not exist, or no longer')
  return Object.assign(error, { statusCode: 404 })
}
