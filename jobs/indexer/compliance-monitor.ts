import { randomUUID } from 'node:crypto'
import { type DueAgent, listAgentsDue } from '../../pipeline/accounts/agents/agents-due.ts'
import { listLapsing } from '../../pipeline/accounts/agents/badges.ts'
import { type Clock, MINUTE, toIso } from '../../pipeline/core/clock.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { WriterClient } from '../api-client/writer-client.ts'
import { RecentAttempts } from './recent-attempts.ts'

/** Agents tested at a time; this leaves room for callers who wait for a storyboard. */
const AGENTS_AT_ONCE = 4
/** Delay before an agent is tried again that no crawler could test. */
const RETRY_MS = 10 * MINUTE
/** Time that a job may wait for a crawler. */
const SLACK_MS = MINUTE
/** Agents whose badges end in one submission. */
const LAPSING_MAX = 1_000

/** Author of the submissions, as the audit shows it. */
const MONITOR = { kind: 'registry', id: 'compliance' } as const

interface ComplianceMonitorParts {
  sequencer: Pick<Sequencer, 'accounts'>
  writer: Pick<WriterClient, 'runStoryboard' | 'submit'>
  limits: Limits
  clock: Clock
  log: Log
}

/** Has agents tested whose scheduled run is due, and ends badges whose time is over. */
export class ComplianceMonitor {
  readonly #parts: ComplianceMonitorParts
  /** Agents whose last run brought no result. */
  readonly #recentlyFailed: RecentAttempts<string>
  readonly #closing = new AbortController()

  constructor(parts: ComplianceMonitorParts) {
    this.#parts = parts
    this.#recentlyFailed = new RecentAttempts(parts.clock, RETRY_MS)
  }

  /** Tests the agents that have waited longest; returns how many were tested. */
  async testNext(): Promise<number> {
    const { sequencer, limits, clock } = this.#parts
    const due = listAgentsDue(sequencer.accounts.db, {
      now: clock.now(),
      limit: AGENTS_AT_ONCE,
      besides: this.#recentlyFailed.list(),
      firstMs: limits.complianceFirstMs,
    })
    const tested = await Promise.all(due.map(agent => this.#test(agent)))
    return tested.filter(Boolean).length
  }

  /** Ends badges that expired, or that were degraded for too long. */
  async expireBadges(): Promise<void> {
    const { sequencer, writer, clock } = this.#parts
    const agent_urls = listLapsing(sequencer.accounts.db, clock.now(), LAPSING_MAX)
    if (agent_urls.length === 0) return
    await writer.submit({ op: 'badges.lapse', agent_urls }, { by: MONITOR })
  }

  /** Ends runs that are under way: their agents are tested after the next start. */
  close(): void {
    this.#closing.abort('the indexer stops')
  }

  async #test({ agent_url, org_id, sealed }: DueAgent): Promise<boolean> {
    const { writer, limits, clock } = this.#parts
    const tested_at = toIso(clock.now())
    const run_id = randomUUID()
    const job = {
      kind: 'suite',
      agent_url,
      caller: org_id,
      ...(sealed !== undefined && { credential: { org_id, sealed } }),
    } as const
    const options = {
      ms: limits.complianceRunMs + SLACK_MS,
      signal: this.#closing.signal,
    }
    const suite = await writer.runStoryboard<'suite'>(job, options).catch(() => undefined)
    if (suite === undefined) return this.#fail(agent_url)
    const operation = {
      op: 'compliance.record',
      run_id,
      agent_url,
      org_id,
      tested_at,
      ...suite,
    } as const
    const answer = await writer
      .submit(operation, { submission_id: run_id, by: MONITOR })
      .catch(() => undefined)
    return answer !== undefined && 'done' in answer ? true : this.#fail(agent_url)
  }

  #fail(agent_url: string): false {
    this.#recentlyFailed.remember(agent_url)
    this.#parts.log.debug({ agent: agent_url }, 'an agent was not tested')
    return false
  }
}
