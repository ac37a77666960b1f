import { type Clock, SECOND } from '../../pipeline/core/clock.ts'
import { type IndexStatus, reportIndex } from '../../pipeline/maintenance/inspect/index-status.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'

const LOOK_EVERY_MS = 15 * SECOND
/** Largest share of the time that reading the status may take, since commits wait for it. */
const SHARE_MAX = 0.005

/** Keeps the state of the index for those who ask often, such as a scrape. */
export class StatusWatch {
  readonly #sequencer: Sequencer
  readonly #clock: Clock
  #status: IndexStatus | undefined
  #tookMs = 0

  constructor(sequencer: Sequencer, clock: Clock) {
    this.#sequencer = sequencer
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
    this.#status = await this.#sequencer.quietly(async () => {
      const started = performance.now()
      const status = await reportIndex(this.#sequencer.index, this.#clock.now())
      this.#tookMs = performance.now() - started
      return status
    })
  }
}
