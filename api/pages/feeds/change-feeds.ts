import { z } from 'zod'
import { ANY_KEY } from '../../../pipeline/core/surrogate-keys.ts'
import { PastedDomain } from '../../inputs/fields.ts'
import { AgentUrl } from '../../inputs/sale.ts'
import { defineOperation, type Operation } from '../../operation/operation.ts'
import { replyOk } from '../../responses/reply.ts'
import type { ChangeSubject } from './entries.ts'

export const ATOM_PATH = '/changes/feed.atom'
export const JSON_FEED_PATH = '/changes/feed.json'
export const ATOM = 'application/atom+xml'
export const JSON_FEED = 'application/feed+json'

const subject = z.object({
  domain: PastedDomain.optional(),
  agent: AgentUrl.optional(),
  brand: PastedDomain.optional(),
})

const formats = [
  { id: 'changesAtom', path: ATOM_PATH, type: ATOM, name: 'Atom' },
  { id: 'changesJsonFeed', path: JSON_FEED_PATH, type: JSON_FEED, name: 'JSON Feed' },
] as const

/** Changes for feed readers: all, or those of a domain, an agent or a brand. They need no key. */
export const changeFeeds: readonly Operation[] = formats.map(({ id, path, type, name }) =>
  defineOperation({
    id,
    method: 'GET',
    path,
    summary: `Get changes as ${name}`,
    access: 'public',
    cache: 'minute',
    dependsOn: [ANY_KEY],
    queriesSnapshot: true,
    cacheKey: ({ services: { reader } }) => String(reader.serving?.seq ?? 0),
    query: subject,
    reply: { 200: { type } },
    errors: ['invalid_request', 'unavailable'],
    handle: async ({ query, services: { reader, config, baseUrl } }) => {
      const [{ buildChangeFeed }, { formatAtom, formatJsonFeed }] = await Promise.all([
        import('./entries.ts'),
        import('./formats.ts'),
      ])
      const feed = await buildChangeFeed(reader, query, config.LIMITS.feedRetentionDays)
      const place = { origin: baseUrl(), self: toFeedPath(path, query) }
      const text = type === ATOM ? formatAtom(feed, place) : formatJsonFeed(feed, place)
      const [newest] = feed.entries
      return {
        ...replyOk(Buffer.from(text)),
        type: `${type}; charset=utf-8`,
        modifiedAt: newest && Date.parse(newest.at),
      }
    },
  }),
)

/** Builds the path of the feed of a subject. */
export function toFeedPath(path: string, subject: ChangeSubject): string {
  const pairs = Object.entries(subject).filter(pair => pair[1] !== undefined)
  const query = new URLSearchParams(pairs as [string, string][])
  return query.size === 0 ? path : `${path}?${query}`
}
