import type { FastifyInstance, FastifyRequest } from 'fastify'
import { receiveWebhook, type WebhookReceiver } from '../../pipeline/signing/receive-webhook.ts'

export interface WebhookReceiverOptions extends WebhookReceiver {
  /** Origin under which agents reach this server, such as `https://buyer.example`: it is signed. */
  origin: string
  /** Path of the webhook, with Fastify's parameters. */
  path: string
}

/** Adds a Fastify plugin that receives webhooks. It reads bodies as bytes, since the signature covers bytes. */
export async function addWebhookReceiver(
  app: FastifyInstance,
  { origin, path, ...receiver }: WebhookReceiverOptions,
): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post(path, async (request: FastifyRequest, reply) => {
    const { status, headers, body } = await receiveWebhook(
      {
        method: request.method,
        url: `${origin}${request.raw.url}`,
        headers: request.headers,
        body: Buffer.isBuffer(request.body) ? request.body : '',
      },
      receiver,
    )
    return reply.code(status).headers(headers).send(body)
  })
}
