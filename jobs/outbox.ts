import type { Observation } from '../pipeline/model/observation.ts'

/** What was found is sent on in this rhythm, so that one slow host holds up nobody's answer. */
const SEND_EVERY_MS = 500

/**
 * Collects what a batch finds and sends it on now and then, or when it is much: whoever has more waits
 * until that is sent, and asks for nothing meanwhile.
 */
export class Outbox {
  readonly #send: (observations: Observation[]) => Promise<void>
  readonly #mostBytes: number
  readonly #timer: NodeJS.Timeout
  #waiting: Observation[] = []
  /** Of all that is not sent yet. */
  #bytes = 0
  #sent: Promise<void> = Promise.resolve()

  constructor(mostBytes: number, send: (observations: Observation[]) => Promise<void>) {
    this.#mostBytes = mostBytes
    this.#send = send
    this.#timer = setInterval(() => this.#flush(), SEND_EVERY_MS)
  }

  /** Resolves when there was room for it; rejects when what was put before could not be sent. */
  async put(observation: Observation): Promise<void> {
    while (this.#bytes >= this.#mostBytes) await this.#sent
    this.#waiting.push(observation)
    this.#bytes += bytesOf(observation)
    if (this.#bytes >= this.#mostBytes) this.#flush()
  }

  /** Rejects when anything could not be sent: the batch is crawled again then. */
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
        for (const seen of observations) this.#bytes -= bytesOf(seen)
      })
    this.#sent.catch(() => undefined)
  }
}

function bytesOf({ body, document }: Observation): number {
  return body?.length ?? (document === undefined ? 0 : JSON.stringify(document).length)
}
