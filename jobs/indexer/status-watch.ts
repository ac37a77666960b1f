import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import type { IndexStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import { readIndexStatusBeside } from '../../pipeline/maintenance/inspect/index-status-beside.ts'

const LOOK_EVERY_MS = 15 * SECOND
/** Largest share of the time that reading the status may take. */
const SHARE_MAX = 0.005

/** Keeps the state of the index for those who ask often, such as a scrape. */
export class StatusWatch {
  readonly #file: string
  readonly #clock: Clock
  #status: IndexStatus | undefined
  #tookMs = 0

  /** Creates the watch of the index in a record. */
  constructor(file: string, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  /** Returns the state as of the last look; undefined before the first. */
  get status(): IndexStatus | undefined {
    return this.#status
  }

  /** Returns the time until the next look, in milliseconds. */
  get pauseMs(): number {
    return Math.max(LOOK_EVERY_MS, this.#tookMs / SHARE_MAX)
  }

  async look(): Promise<void> {
    const started = performance.now()
    this.#status = await readIndexStatusBeside(this.#file, this.#clock.now())
    this.#tookMs = performance.now() - started
  }
}
