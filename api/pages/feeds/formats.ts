import { escapeHtml } from '../html/jsx.ts'
import type { ChangeFeed } from './entries.ts'

/** Characters that XML 1.0 cannot contain, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

const escapeXml = (text: string) => escapeHtml(text.toWellFormed().replace(NOT_IN_XML, ''))

/** Address of a feed: the origin of the registry and the path. */
interface Place {
  origin: string
  self: string
}

/** Formats a feed as Atom (RFC 4287). A feed without entries was updated when time began. */
export function formatAtom({ title, path, entries }: ChangeFeed, { origin, self }: Place): string {
  const updated = entries[0]?.at ?? new Date(0).toISOString()
  const items = entries.map(
    entry =>
      `<entry><id>urn:uuid:${entry.id}</id><title>${escapeXml(entry.title)}</title>` +
      `<updated>${escapeXml(entry.at)}</updated><link href="${escapeXml(origin + entry.path)}"/>` +
      `<content type="text">${escapeXml(entry.text)}</content></entry>`,
  )
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<feed xmlns="http://www.w3.org/2005/Atom">' +
    `<id>${escapeXml(origin + self)}</id><title>${escapeXml(title)}</title><updated>${escapeXml(updated)}</updated>` +
    '<author><name>Agentic Ad Registry</name></author>' +
    `<link rel="self" type="application/atom+xml" href="${escapeXml(origin + self)}"/>` +
    `<link rel="alternate" type="text/html" href="${escapeXml(origin + path)}"/>` +
    `${items.join('')}</feed>`
  )
}

/** Formats a feed as JSON Feed 1.1. */
export function formatJsonFeed(feed: ChangeFeed, { origin, self }: Place): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    home_page_url: origin + feed.path,
    feed_url: origin + self,
    items: feed.entries.map(({ id, title, text, path, at }) => ({
      id: `urn:uuid:${id}`,
      url: origin + path,
      title,
      content_text: text,
      date_published: at,
    })),
  })
}
