import type { FastifyReply } from 'fastify'

/** More answers in one group would delay the first of them. */
const TOGETHER_MAX = 8

/**
 * Groups answers that are ready in the same tick of the event loop, and sends them one right after the
 * other, at its end or when there are several. The first one wakes its client process, and the others find
 * it awake: sent one by one, each would wake it again, which costs more than building the answer.
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
