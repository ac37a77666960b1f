import type { FastifyReply } from 'fastify'

/** More answers at once would keep the first of them waiting. */
const TOGETHER_MAX = 8

/**
 * Sends answers that were made in one turn of the event loop one right after the other, at its end or
 * once they are a few. The first one wakes its client, and the others find it awake: sent one by one
 * between the work on other requests, each would wake it again, which costs more than making it.
 */
export class AnswerGroup {
  #waiting: (() => void)[] = []

  /** Adds a reply; `send` is called soon, and if it fails the reply gets its error. */
  add(reply: FastifyReply, send: () => unknown): void {
    const refuse = (error: unknown) => void reply.send(error)
    const count = this.#waiting.push(() => {
      try {
        const sending = send()
        if (sending instanceof Promise) sending.catch(refuse)
      } catch (error) {
        refuse(error)
      }
    })
    if (count === 1) setImmediate(() => this.#send())
    else if (count === TOGETHER_MAX) this.#send()
  }

  #send(): void {
    const sending = this.#waiting
    this.#waiting = []
    for (const send of sending) send()
  }
}
