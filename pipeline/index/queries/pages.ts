import type { Database } from '../duckdb.ts'

const MOST = 16

type Make = (source: { db: Database }) => Promise<Buffer>

interface Page {
  make: Make
  body: Promise<Buffer>
  isAsked: boolean
}

/**
 * First pages of lists that many ask for alike, as bytes. Those that were asked for are made again
 * before another snapshot takes this one's place, so that nobody waits for them.
 */
export class Pages {
  readonly #db: Database
  readonly #pages = new Map<string, Page>()

  constructor(db: Database) {
    this.#db = db
  }

  static async of(db: Database, before?: Pages): Promise<Pages> {
    const pages = new Pages(db)
    const wanted = [...(before ? before.#pages : [])].filter(([, page]) => page.isAsked)
    for (const [name, { make }] of wanted) await pages.#make(name, make).catch(() => undefined)
    return pages
  }

  get(name: string, make: Make): Promise<Buffer> {
    const page = this.#pages.get(name)
    if (page !== undefined) {
      page.isAsked = true
      return page.body
    }
    const [first] = this.#pages.keys()
    if (this.#pages.size >= MOST && first !== undefined) this.#pages.delete(first)
    const body = this.#make(name, make)
    this.#pages.get(name)!.isAsked = true
    return body
  }

  #make(name: string, make: Make): Promise<Buffer> {
    const body = make({ db: this.#db })
    this.#pages.set(name, { make, body, isAsked: false })
    body.catch(() => this.#pages.delete(name))
    return body
  }
}
