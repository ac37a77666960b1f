import type { Observation } from '../../pipeline/model/observation.ts'

/** Interval at which observations are sent, so that the slowest host of a batch delays only its own. */
const SEND_EVERY_MS = 500

/**
 * Collects the observations of a batch and sends them every half second, or at `maxBytes`: the crawl then
 * waits until they are sent.
 */
export class Outbox {
  readonly #send: (observations: Observation[]) => Promise<void>
  readonly #maxBytes: number
  readonly #timer: NodeJS.Timeout
  #unsent: Observation[] = []
  /** Bytes of everything that is not sent yet. */
  #bytes = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(maxBytes: number, send: (observations: Observation[]) => Promise<void>) {
    this.#maxBytes = maxBytes
    this.#send = send
    this.#timer = setInterval(() => this.#flush(), SEND_EVERY_MS)
  }

  /**
   * Adds an observation once there is room for it; rejects when an earlier one could not be sent.
   */
  async put(observation: Observation): Promise<void> {
    while (this.#bytes >= this.#maxBytes) await this.#sending
    this.#unsent.push(observation)
    this.#bytes += measureBytes(observation)
    if (this.#bytes >= this.#maxBytes) this.#flush()
  }

  /** Sends the rest. Rejects when anything could not be sent: the batch is then crawled again. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#flush()
    await this.#sending
  }

  #flush(): void {
    const observations = this.#unsent
    if (observations.length === 0) return
    this.#unsent = []
    this.#sending = this.#sending
      .then(() => this.#send(observations))
      .finally(() => {
        for (const observation of observations) this.#bytes -= measureBytes(observation)
      })
    this.#sending.catch(() => undefined)
  }
}

function measureBytes({ body, document }: Observation): number {
  return body?.length ?? (document === undefined ? 0 : JSON.stringify(document).length)
}
