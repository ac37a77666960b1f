import { createHash } from 'node:crypto'

/** What is needed of a connection to Redis, one that fails at once while Redis is away. */
export interface ScriptStore {
  readonly status: string
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>
  evalsha(sha1: string, keys: number, ...values: (string | number)[]): Promise<unknown>
}

/** A script that Redis runs as one step. Its text is sent only to a Redis that does not know it by its hash. */
export class RedisScript<Answer> {
  readonly #text: string
  readonly #sha1: string

  constructor(text: string) {
    this.#text = text
    this.#sha1 = createHash('sha1').update(text).digest('hex')
  }

  /** Fails while Redis is away. */
  async run(
    store: ScriptStore | undefined,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<Answer> {
    if (store?.status !== 'ready') throw new Error('no connection to Redis')
    const given = [keys.length, ...keys, ...values] as const
    try {
      return (await store.evalsha(this.#sha1, ...given)) as Answer
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return (await store.eval(this.#text, ...given)) as Answer
    }
  }
}
