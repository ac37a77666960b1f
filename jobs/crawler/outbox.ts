import type { Observation } from '../../pipeline/model/observation.ts'

/** Interval at which observations are sent, so that one slow host delays no other answer. */
const SEND_EVERY_MS = 500

/**
 * Collects the observations of a batch and sends them every half second, or when they are large:
 * the crawl waits until that is sent.
 */
export class Outbox {
  readonly #send: (observations: Observation[]) => Promise<void>
  readonly #maxBytes: number
  readonly #timer: NodeJS.Timeout
  #waiting: Observation[] = []
  /** Bytes of everything that is not sent yet. */
  #bytes = 0
  #sent: Promise<void> = Promise.resolve()

  constructor(maxBytes: number, send: (observations: Observation[]) => Promise<void>) {
    this.#maxBytes = maxBytes
    this.#send = send
    this.#timer = setInterval(() => this.#flush(), SEND_EVERY_MS)
  }

  /**
   * Resolves when there is room for the observation; rejects when an earlier one could not be sent.
   */
  async put(observation: Observation): Promise<void> {
    while (this.#bytes >= this.#maxBytes) await this.#sent
    this.#waiting.push(observation)
    this.#bytes += measureBytes(observation)
    if (this.#bytes >= this.#maxBytes) this.#flush()
  }

  /** Rejects when anything could not be sent: the batch is then crawled again. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#flush()
    await this.#sent
  }

  #flush(): void {
    const observations = this.#waiting
    if (observations.length === 0) return
    this.#waiting = []
    this.#sent = this.#sent
      .then(() => this.#send(observations))
      .finally(() => {
        for (const observation of observations) this.#bytes -= measureBytes(observation)
      })
    this.#sent.catch(() => undefined)
  }
}

function measureBytes({ body, document }: Observation): number {
  return body?.length ?? (document === undefined ? 0 : JSON.stringify(document).length)
}
