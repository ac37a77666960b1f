import type { ServerResponse } from 'node:http'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import { CallerShares } from '../limits/caller-shares.ts'

/** Interval at which streams look for a new commit. */
const POLL_MS = 250
/** Interval of the comments that keep a connection alive and reveal a dead one. */
const BEAT_MS = 15_000
const RETRY_AFTER_S = 30

interface Viewer {
  response: ServerResponse
}

/**
 * Notifies open pages that something was committed or published. They then request themselves again, which is
 * one cached answer for all of them. A commit costs one line per viewer, and an idle viewer only an
 * occasional comment. A viewer that does not read is dropped at the first line that it does not accept, and
 * one of the caller with most of them where there is no room for another caller's.
 */
export class PageStreams {
  readonly #reader: Pick<Reader, 'serving' | 'snapshot'>
  readonly #limits: Pick<Config['LIMITS'], 'pageStreamsPerCaller'>
  readonly #viewers: CallerShares<Viewer>
  #sentState = ''
  #beatAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(reader: Pick<Reader, 'serving' | 'snapshot'>, { LIMITS }: Pick<Config, 'LIMITS'>) {
    this.#reader = reader
    this.#limits = LIMITS
    this.#viewers = new CallerShares(LIMITS.pageStreams)
  }

  get count(): number {
    return this.#viewers.count
  }

  /** Checks that the caller may open one more stream, before anything is sent. */
  admit(caller: string): (response: ServerResponse) => void {
    if (this.#viewers.countItems(caller) >= this.#limits.pageStreamsPerCaller)
      refuse('unavailable', 'too many of your streams are open; close one, or try again', {
        retry_after: RETRY_AFTER_S,
      })
    return response => this.#addViewer(caller, { response })
  }

  close(): void {
    clearInterval(this.#timer)
    for (const { response } of this.#viewers.items()) response.end()
  }

  /** Adds a viewer. If there are too many, the oldest of the caller with most gives way. */
  #addViewer(caller: string, viewer: Viewer): void {
    if (this.#viewers.count === 0) this.#sentState = this.#formatState()
    for (const { response } of this.#viewers.add(caller, viewer)) response.destroy()
    viewer.response.once('close', () => this.#leave(viewer))
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS)
    this.#send(viewer, this.#sentState)
  }

  #leave(viewer: Viewer): void {
    this.#viewers.remove(viewer)
    if (this.#viewers.count > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #poll(): void {
    const state = this.#formatState()
    const now = performance.now()
    const hasChanged = state !== this.#sentState
    if (!hasChanged && now < this.#beatAt) return
    this.#sentState = state
    this.#beatAt = now + BEAT_MS
    for (const viewer of this.#viewers.items()) this.#send(viewer, hasChanged ? state : ':\n\n')
  }

  #send({ response }: Viewer, text: string): void {
    if (!response.write(text)) response.destroy()
  }

  /** Formats what pages depend on: the last commit, and that of the snapshot. */
  #formatState(): string {
    const { serving, snapshot } = this.#reader
    const state = { seq: serving?.seq ?? 0, snapshot_seq: snapshot?.seq ?? 0 }
    return `event: state\ndata: ${JSON.stringify(state)}\n\n`
  }
}
