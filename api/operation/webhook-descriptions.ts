import { pushTypes } from '../../pipeline/core/push-types.ts'
import { pushBodies } from '../../pipeline/model/deliveries.ts'
import { type Json, toReference } from './json-schema.ts'

const signed = [
  ['webhook-id', 'ID of the post, the same in each attempt (Standard Webhooks)'],
  ['webhook-timestamp', 'Time of the attempt, in Unix seconds'],
  ['webhook-signature', '`v1,` and the HMAC of ID, time and body, made with the `signing_secret`'],
  ['signature-input', 'What `signature` covers (RFC 9421)'],
  ['signature', 'Signature made with a key from `/.well-known/jwks.json` (RFC 9421)'],
  ['content-digest', 'Digest of the body (RFC 9530)'],
]

const summaries: Readonly<Record<keyof typeof pushTypes, string>> = {
  events: 'Receive events',
  audit: 'Receive changes to the audit log',
  challenge: 'Say whether you want the events',
  test: 'Receive a test',
}

const delivered = {
  '2XX': { description: 'The post was accepted' },
  '410': { description: 'The receiver wants no more events: the subscription is disabled' },
}

const answers: Readonly<Record<keyof typeof pushTypes, Json>> = {
  events: delivered,
  audit: delivered,
  challenge: {
    '200': {
      description: 'The receiver wants the events',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              challenge: { type: 'string', description: 'Text of the challenge that was posted' },
            },
            required: ['challenge'],
          },
        },
      },
    },
    '4XX': { description: 'The receiver does not want the events' },
  },
  test: {
    '2XX': { description: 'The test arrived' },
    '4XX': { description: 'The test was rejected' },
  },
}

/** Describes the posts to receivers of events, as `webhooks` of OpenAPI 3.1. */
export function describeWebhooks(components: Json): Record<string, { post: Json }> {
  const kinds = Object.keys(pushTypes) as (keyof typeof pushTypes)[]
  return Object.fromEntries(
    kinds.map(kind => [
      pushTypes[kind],
      {
        post: {
          operationId: pushTypes[kind].replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
          tags: ['Change Feed'],
          summary: summaries[kind],
          security: [],
          parameters: signed.map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: toReference(pushBodies[kind], 'output', components) },
            },
          },
          responses: answers[kind],
        },
      },
    ]),
  )
}
