import { randomUUID } from 'node:crypto'
import { type DueAgent, listAgentsDue } from '../../pipeline/accounts/agents/agents-due.ts'
import { listLapsing } from '../../pipeline/accounts/agents/badges.ts'
import { type Clock, MINUTE, toIso } from '../../pipeline/core/clock.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { WriterClient } from '../api-client/enqueue.ts'

/** Agents tested at a time: callers who wait for a storyboard find a free place. */
const AT_ONCE = 4
/** Delay before an agent is tried again that no crawler could test. */
const RETRY_MS = 10 * MINUTE
/** Time that a job may wait for a crawler. */
const SLACK_MS = MINUTE
const LAPSING_MAX = 1_000

const MONITOR = { kind: 'registry', id: 'compliance' } as const

/** Has agents tested whose scheduled run is due, and ends badges whose time is over. */
export class ComplianceMonitor {
  readonly #sequencer: Pick<Sequencer, 'quietly' | 'accounts'>
  readonly #writer: Pick<WriterClient, 'runStoryboard' | 'submit'>
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #log: Log
  /** Time of the last attempt that brought no result, for each agent. */
  readonly #failed = new Map<string, number>()
  readonly #closing = new AbortController()

  constructor(
    sequencer: Pick<Sequencer, 'quietly' | 'accounts'>,
    writer: Pick<WriterClient, 'runStoryboard' | 'submit'>,
    limits: Limits,
    clock: Clock,
    log: Log,
  ) {
    this.#sequencer = sequencer
    this.#writer = writer
    this.#limits = limits
    this.#clock = clock
    this.#log = log
  }

  /** Tests the agents that have waited longest; returns how many were tested. */
  async testNext(): Promise<number> {
    const now = this.#clock.now()
    for (const [url, at] of this.#failed) if (now - at >= RETRY_MS) this.#failed.delete(url)
    const { db } = this.#sequencer.accounts
    const filter = { now, limit: AT_ONCE, besides: [...this.#failed.keys()] }
    const due = await this.#sequencer.quietly(() => listAgentsDue(db, filter))
    const tested = await Promise.all(due.map(agent => this.#test(agent)))
    return tested.filter(Boolean).length
  }

  /** Ends badges that expired, or that were degraded for too long. */
  async expireBadges(): Promise<void> {
    const { db } = this.#sequencer.accounts
    const now = this.#clock.now()
    const agent_urls = await this.#sequencer.quietly(() => listLapsing(db, now, LAPSING_MAX))
    if (agent_urls.length === 0) return
    await this.#writer.submit({ op: 'badges.lapse', agent_urls }, { by: MONITOR })
  }

  /** Ends runs that are under way: their agents are tested after the next start. */
  close(): void {
    this.#closing.abort('the indexer stops')
  }

  async #test({ agent_url, org_id, sealed }: DueAgent): Promise<boolean> {
    const tested_at = toIso(this.#clock.now())
    const run_id = randomUUID()
    const job = {
      kind: 'suite',
      agent_url,
      caller: org_id,
      ...(sealed !== undefined && { credential: { org_id, sealed } }),
    } as const
    const options = {
      ms: this.#limits.complianceRunMs + SLACK_MS,
      signal: this.#closing.signal,
    }
    const suite = await this.#writer.runStoryboard<'suite'>(job, options).catch(() => undefined)
    if (suite === undefined) return this.#fail(agent_url)
    const operation = {
      op: 'compliance.record',
      run_id,
      agent_url,
      org_id,
      tested_at,
      ...suite,
    } as const
    const answer = await this.#writer
      .submit(operation, { submission_id: run_id, by: MONITOR })
      .catch(() => undefined)
    return answer !== undefined && 'done' in answer ? true : this.#fail(agent_url)
  }

  #fail(agent_url: string): false {
    this.#failed.set(agent_url, this.#clock.now())
    this.#log.debug({ agent: agent_url }, 'an agent was not tested')
    return false
  }
}
