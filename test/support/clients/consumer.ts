import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import { type BootstrapLists, Replica } from './replica.ts'

type Row = Record<string, unknown>
type Source = 'agents' | 'authorizations' | 'properties' | 'collections'

/** A small page, so that the places where pages meet are many. */
const PAGE = 2

/** Keeps a replica over HTTP: begins with the lists of the API, then follows the feed. */
export class Consumer {
  replica = new Replica()
  #cursor = ''
  readonly #app: FastifyInstance
  readonly #key: string

  constructor(app: FastifyInstance, key: string) {
    this.#app = app
    this.#key = key
  }

  /** Begins anew; `between` is awaited before each source but the first. */
  async begin(between?: () => Promise<void>): Promise<void> {
    this.replica = new Replica({ isCredulous: between !== undefined })
    const cursors: string[] = []
    for (const source of ['agents', 'authorizations', 'properties', 'collections'] as const) {
      if (cursors.length > 0) await between?.()
      const { rows, cursor } = await this.#read(source)
      this.replica.begin({ [source]: rows } as BootstrapLists)
      cursors.push(cursor)
    }
    this.#cursor = cursors[0]!
    if (between === undefined && new Set(cursors).size > 1) {
      throw new Error(`one snapshot has the cursors ${cursors.join(', ')}`)
    }
  }

  /** Follows the feed to its end; false when its cursor has expired. */
  async follow(): Promise<boolean> {
    for (;;) {
      const page = await this.#get(`/api/registry/feed?limit=50&cursor=${this.#cursor}`)
      if (page.statusCode === 410) return false
      const { events, cursor, has_more } = page.json() as {
        events: FeedEvent[]
        cursor: string
        has_more: boolean
      }
      this.replica.apply(events)
      this.#cursor = cursor
      if (!has_more) return true
    }
  }

  #read(source: Source): Promise<{ rows: Row[]; cursor: string }> {
    switch (source) {
      case 'agents':
        return this.#pages(`/api/registry/agents/search?limit=${PAGE}`, 'results', page =>
          page.has_more ? `cursor=${page.cursor}` : undefined,
        )
      case 'authorizations':
        return this.#lines('/api/registry/authorizations/snapshot')
      case 'properties':
        return this.#pages(`/api/registry/catalog?status=all&limit=${PAGE}`, 'entries', page =>
          page.next_cursor === null ? undefined : `cursor=${page.next_cursor}`,
        )
      case 'collections':
        return this.#pages(
          `/api/registry/catalog/collections/sync?limit=${PAGE}`,
          'entries',
          page => (page.next_offset === null ? undefined : `offset=${page.next_offset}`),
        )
    }
  }

  async #pages(
    url: string,
    name: string,
    next: (page: Row) => string | undefined,
  ): Promise<{ rows: Row[]; cursor: string }> {
    const rows: Row[] = []
    const cursors: string[] = []
    for (let more: string | undefined = ''; more !== undefined; ) {
      const answer = await this.#get(`${url}&${more}`)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      const page = answer.json() as Row
      rows.push(...(page[name] as Row[]))
      cursors.push(answer.headers['x-sync-cursor'] as string)
      more = next(page)
    }
    return { rows, cursor: cursors[0]! }
  }

  async #lines(url: string): Promise<{ rows: Row[]; cursor: string }> {
    const answer = await this.#get(url)
    const text = gunzipSync(answer.rawPayload).toString()
    const rows = text === '' ? [] : text.trimEnd().split('\n')
    const cursor = answer.headers['x-sync-cursor'] as string
    return { rows: rows.map(line => JSON.parse(line) as Row), cursor }
  }

  #get(url: string) {
    return this.#app.inject({ url, headers: { authorization: `Bearer ${this.#key}` } })
  }
}
