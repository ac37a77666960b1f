import type { Fetcher, PostOptions, PostResult } from '../fetch/http.ts'

/**
 * The door through which everything of a run goes out: an agent may ask for more of it (another session, a
 * pause, a further page), and is sent no more requests than a run may make.
 */
export class CountedRequests {
  readonly #fetcher: Pick<Fetcher, 'call'>
  readonly #max: number
  #made = 0

  constructor(fetcher: Pick<Fetcher, 'call'>, max: number) {
    this.#fetcher = fetcher
    this.#max = max
  }

  /** Tells whether a run has made all the requests that it may. */
  get areSpent(): boolean {
    return this.#made >= this.#max
  }

  /** Begins another run over the same connection. */
  restart(): void {
    this.#made = 0
  }

  async call(url: string, options: PostOptions): Promise<PostResult> {
    if (this.areSpent) {
      const detail = `was sent ${this.#max} requests, and no run makes more`
      return { kind: 'failed', outcome: 'timeout', detail, url, tookMs: 0 }
    }
    this.#made++
    return this.#fetcher.call(url, options)
  }
}
