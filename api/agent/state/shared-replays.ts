import { SECOND } from '../../../pipeline/core/clock.ts'
import {
  MemoryReplayStore,
  type Nonce,
  type ReplayStore,
} from '../../../pipeline/signing/replay-store.ts'
import type { AgentState } from './store.ts'

declare module './store.ts' {
  interface Records {
    /** Nonces of signatures that were accepted, by the key. */
    nonce: true
  }
}

/** Time for which a nonce is remembered: longer than any signature is accepted. */
const NONCE_LIFETIME_MS = 600 * SECOND

/** Shares nonces between all processes of a folder; each process counts by itself how many a key may use. */
export class SharedReplayStore implements ReplayStore {
  readonly #own = new MemoryReplayStore()
  readonly #state: AgentState

  constructor(state: AgentState) {
    this.#state = state
  }

  has(nonce: Nonce, now: number): boolean {
    this.#state.refresh()
    return this.#own.has(nonce, now) || this.#state.get('nonce', nonce.keyid, toId(nonce)) === true
  }

  isFull(keyid: string, now: number): boolean {
    return this.#own.isFull(keyid, now)
  }

  async add(nonce: Nonce, now: number): Promise<boolean> {
    if (!this.#own.add(nonce, now)) return false
    const [state, id, nowMs] = [this.#state, toId(nonce), now * SECOND]
    return state.transactInGroup(nowMs, () => {
      if (state.get('nonce', nonce.keyid, id)) return false
      state.put('nonce', nonce.keyid, id, true, { now: nowMs, lifetimeMs: NONCE_LIFETIME_MS })
      return true
    })
  }
}

function toId({ nonce, uri }: Nonce): string {
  return `${nonce} ${uri}`.slice(0, 1000)
}
