import { createHash, type Hash } from 'node:crypto'
import { toIso } from '../core/clock.ts'
import { removeOldest } from '../core/present.ts'
import { pushTypes } from '../core/push-types.ts'
import { toInstant } from '../core/uuid-v7.ts'
import { type Concerned, findConcerned } from '../model/concerned.ts'
import type { EventType, FeedEvent } from '../model/event.ts'
import { type FeedQuery, type FeedSource, readPageAfter } from '../read/lookups/feed.ts'
import { isAbout, isAboutEverything, type Subject } from './selection.ts'

/** A page to read: the events of certain types after a cursor. */
export interface PageRequest {
  cursor: string
  types: readonly EventType[]
  /** Events of the page at most. */
  limit: number
  /** Last event of the page, for a delivery that is repeated; otherwise the page ends where the feed says. */
  to?: string | undefined
}

/** Part of a delivery's body that all subscriptions with the same filter share, hashed once. */
export interface SharedBody {
  type: (typeof pushTypes)['events' | 'audit']
  /** Time of the last event. */
  at: string
  events: number
  bytes: Buffer
  hash: Hash
}

/** Next part for a receiver: up to `to`, with what it is posted of that, if anything. */
export interface NextPage {
  to: string
  /** Events between, those that no filter takes among them. */
  scanned: number
  shared: SharedBody | undefined
}

/** Pages that are cached for receivers that come to the same position next. */
const PAGES_MAX = 32

/** A page of the feed. */
export class Page {
  readonly to: string
  readonly scanned: number
  readonly #events: Buffer
  #parsed: { event: FeedEvent; concerned: Concerned }[] | undefined
  readonly #bodies = new Map<string, SharedBody | undefined>()

  /** Creates a page; `events` is a JSON list. */
  constructor(to: string, scanned: number, events: Buffer) {
    this.to = to
    this.scanned = scanned
    this.#events = events
  }

  /** Returns the events of the page that concern a subject; undefined if there are none. */
  findBody(subject: Subject, key: string): SharedBody | undefined {
    if (this.scanned === 0) return undefined
    if (!this.#bodies.has(key)) this.#bodies.set(key, this.#select(subject))
    return this.#bodies.get(key)
  }

  #select(subject: Subject): SharedBody | undefined {
    if (isAboutEverything(subject)) return this.#toSharedBody(this.scanned, this.#events)
    const taken = this.#parse().filter(({ concerned }) => isAbout(concerned, subject))
    if (taken.length === 0) return undefined
    return this.#toSharedBody(
      taken.length,
      Buffer.from(JSON.stringify(taken.map(({ event }) => event))),
    )
  }

  #toSharedBody(events: number, list: Buffer): SharedBody {
    const bytes = Buffer.concat([
      Buffer.from('{"result":{"events":'),
      list,
      Buffer.from(`,"cursor":"${this.to}"}`),
    ])
    const hash = createHash('sha256').update(bytes)
    return { type: pushTypes.events, at: toIso(toInstant(this.to)), events, bytes, hash }
  }

  #parse() {
    this.#parsed ??= (JSON.parse(this.#events.toString()) as FeedEvent[]).map(event => ({
      event,
      concerned: findConcerned(event),
    }))
    return this.#parsed
  }
}

/** Reads pages of the feed, each once for all receivers that need it at about the same time. */
export class Pages {
  readonly #source: FeedSource
  readonly #bounds: Pick<FeedQuery, 'maxBytes' | 'retentionDays'>
  #seq = -1
  readonly #cached = new Map<string, Page | undefined>()

  constructor(source: FeedSource, bounds: Pick<FeedQuery, 'maxBytes' | 'retentionDays'>) {
    this.#source = source
    this.#bounds = bounds
  }

  /** Reads the page after a place; undefined where the feed does not reach back to the cursor anymore. */
  read({ cursor, types, limit, to }: PageRequest): Page | undefined {
    this.#forgetOld()
    const key = `${cursor} ${limit} ${to ?? ''} ${types.join()}`
    if (this.#cached.has(key)) return this.#cached.get(key)
    const page = this.#load({ cursor, types, limit, to })
    this.#cached.set(key, page)
    if (this.#cached.size > PAGES_MAX) removeOldest(this.#cached)
    return page
  }

  /** Forgets all pages after a commit, which may have made any of them longer. */
  #forgetOld(): void {
    const seq = this.#source.serving?.seq ?? 0
    if (seq === this.#seq) return
    this.#seq = seq
    this.#cached.clear()
  }

  #load({ cursor, types, limit, to }: PageRequest): Page | undefined {
    const read = readPageAfter(this.#source, { cursor, types, limit, ...this.#bounds })
    if (read === undefined) return undefined
    const list = Buffer.from(read.body.subarray(read.list.start, read.list.end))
    read.release()
    return new Page(to ?? read.cursor, read.count, list)
  }
}
