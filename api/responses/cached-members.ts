import { replyOk, type Sent } from './reply.ts'

/** Formats an object as JSON without its braces: members of an answer that can be cached and joined with others. */
export function formatMembers(members: object): string {
  return JSON.stringify(members).slice(1, -1)
}

/**
 * Replies with the members of an answer, in parts (`formatMembers`), and its freshness as JSON. Freshness changes
 * with every crawl and the rest does not, so the parts can be cached.
 */
export function replyMembers(parts: readonly string[], freshness: string): Sent {
  return replyOk(`{${parts.join(',')},"freshness":${freshness}}`)
}
