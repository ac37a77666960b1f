import { totalmem } from 'node:os'

/**
 * Bytes that one database may use where its rows need it: half of what this machine, or its container, has.
 * DuckDB reads 2,048 rows at once, all of their long texts included, and has to do so for each checkpoint.
 */
const MEMORY_BYTES_MAX = Math.floor(
  Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2,
)

/**
 * Memory limit of one open file: the usual one, so that little is cached, until a statement needs more. From then on
 * it is the most until the file is opened again. Checkpoints always may use the most, since DuckDB refuses
 * everything after one that fails.
 */
export class MemoryLimit {
  /** Value of the option with which a file is opened: its log is read under it. */
  static readonly most = `${MEMORY_BYTES_MAX}B`

  readonly #usualLimit: string
  readonly #setLimit: (limit: string) => Promise<unknown>
  #isRaised = false

  /** Creates the limit of a file; `set` runs on a connection without an open transaction. */
  constructor(usual: string, set: (limit: string) => Promise<unknown>) {
    this.#usualLimit = usual
    this.#setLimit = set
  }

  /** Raises the limit for good. */
  async raise(): Promise<void> {
    await this.#setLimit(MemoryLimit.most)
    this.#isRaised = true
  }

  /** Runs work under the highest limit. */
  async atMost(work: () => Promise<unknown>): Promise<void> {
    if (!this.#isRaised) await this.#setLimit(MemoryLimit.most)
    try {
      await work()
    } finally {
      if (!this.#isRaised) await this.lower()
    }
  }

  /** Sets the usual limit. Where DuckDB still uses more, the higher one remains. */
  async lower(): Promise<void> {
    await this.#setLimit(this.#usualLimit).catch(() => {
      this.#isRaised = true
    })
  }
}

/** Tells whether a statement failed because it needed more memory than it may use, and not for want of disk. */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { message } = error
  return (
    /Out of Memory|failed to pin block|could not allocate block/.test(message) &&
    !/max_temp_directory_size/.test(message)
  )
}
