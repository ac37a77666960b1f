import { stringify } from 'yaml'
import { pushTypes } from '../../pipeline/core/push-types.ts'
import { pushBodies } from '../../pipeline/model/deliveries.ts'
import { type EventType, eventTypeNames, eventTypes } from '../../pipeline/model/event.ts'
import { FeedAnswer } from '../../pipeline/model/responses/index.ts'
import { type Json, toReference } from './json-schema.ts'

const toName = (type: EventType) => type.replace('.', '_')

/** Builds the AsyncAPI 3.0 description of the stream of the feed and of the posts to receivers, as YAML. */
export function buildAsyncapi(baseUrl: string): string {
  const schemas: Json = {}
  const { host, protocol } = new URL(baseUrl)
  const page = toReference(FeedAnswer, 'output', schemas)
  const posts = Object.entries(pushTypes).map(
    ([kind, name]) =>
      [name, toReference(pushBodies[kind as keyof typeof pushTypes], 'output', schemas)] as const,
  )
  const refer = (names: readonly string[], from: string) =>
    Object.fromEntries(names.map(name => [name, { $ref: `#/${from}/${name}` }]))
  const list = (channel: string, names: readonly string[]) =>
    names.map(name => ({ $ref: `#/channels/${channel}/messages/${name}` }))
  const postNames = posts.map(([name]) => name)
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'Agentic Ad Registry: changes',
      version: '1.0.0',
      description:
        'The change feed as a stream and as webhooks. Each message of both holds events in the order of the feed; ' +
        `these are: ${eventTypeNames.map(name => `\`${name}\` (${eventTypes[name].means})`).join(', ')}.`,
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { registry: { host, protocol: protocol.replace(':', '') } },
    channels: {
      stream: {
        address: '/api/registry/feed/stream',
        description:
          'Server-sent events; requires a credential (Bearer). Between pages, `heartbeat` says that there was nothing',
        servers: [{ $ref: '#/servers/registry' }],
        messages: refer(['feed'], 'components/messages'),
      },
      receiver: {
        description: 'The URL of a subscription, to which the registry posts',
        messages: refer(postNames, 'components/messages'),
      },
    },
    operations: {
      streamPages: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'Stream pages of the feed',
        messages: list('stream', ['feed']),
      },
      postToReceiver: {
        action: 'send',
        channel: { $ref: '#/channels/receiver' },
        summary: 'Post events, changes to the audit log, a challenge or a test',
        messages: list('receiver', postNames),
      },
    },
    components: {
      messages: {
        feed: { name: 'feed', payload: page },
        ...Object.fromEntries(posts.map(([name, payload]) => [name, { name, payload }])),
        ...Object.fromEntries(
          eventTypeNames.map(name => [
            toName(name),
            {
              name,
              summary: eventTypes[name].means,
              payload: { $ref: `#/components/schemas/Event_${toName(name)}` },
            },
          ]),
        ),
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
  return stringify(document, { aliasDuplicateObjects: false })
}
