import { findConcerned } from '../../model/concerned.ts'
import type { FeedEvent } from '../../model/event.ts'

/** A domain, an agent, or both: the events of a page must concern each that is named. */
export interface FeedSubject {
  domain?: string | undefined
  agent?: string | undefined
}

/** Decides which events of a page are shown. */
export interface FeedFilter {
  /** Tells from bytes of one or several events whether one of them may match: a quick check of what is stored. */
  mayMatch(text: Uint8Array): boolean
  matches(text: Uint8Array): boolean
}

/** Builds the filter of a page; undefined where all events are shown. */
export function buildFeedFilter({ domain, agent }: FeedSubject): FeedFilter | undefined {
  if (domain === undefined && agent === undefined) return undefined
  const named = [domain, agent].filter(name => name !== undefined)
  const needles = named.map(name => Buffer.from(JSON.stringify(name)))
  const mayMatch = (text: Uint8Array) => {
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.length)
    return needles.every(needle => bytes.includes(needle))
  }
  return {
    mayMatch,
    matches: text => {
      if (!mayMatch(text)) return false
      const event: FeedEvent = JSON.parse(Buffer.from(text).toString())
      const { domains, agents } = findConcerned(event)
      return (
        (domain === undefined || domains.includes(domain)) &&
        (agent === undefined || agents.includes(agent))
      )
    },
  }
}
