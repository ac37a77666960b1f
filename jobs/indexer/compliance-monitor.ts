import { randomUUID } from 'node:crypto'
import { type DueAgent, listAgentsDue } from '../../pipeline/accounts/agents/agents-due.ts'
import { listLapsing } from '../../pipeline/accounts/agents/badges.ts'
import { type Clock, MINUTE, toIso } from '../../pipeline/core/clock.ts'
import type { Limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import type { WriterClient } from '../api-client/writer-client.ts'
import { RecentAttempts } from './recent-attempts.ts'

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
  readonly #underTest = new Set<string>()
  readonly #closing = new AbortController()

  constructor(parts: ComplianceMonitorParts) {
    this.#parts = parts
    this.#recentlyFailed = new RecentAttempts(parts.clock, RETRY_MS)
  }

  /**
   * Tests one agent after the other, the longest waiting first, until none is due; returns how many were
   * tested. Several calls share the work, so a slow agent keeps one of them and no other agent waiting.
   */
  async testDue(): Promise<number> {
    let tested = 0
    for (;;) {
      const agent = this.#closing.signal.aborted ? undefined : this.#findNext()
      if (agent === undefined) return tested
      this.#underTest.add(agent.agent_url)
      if (await this.#test(agent).finally(() => this.#underTest.delete(agent.agent_url))) tested++
    }
  }

  #findNext(): DueAgent | undefined {
    const { sequencer, limits, clock } = this.#parts
    const [next] = listAgentsDue(sequencer.accounts.db, {
      now: clock.now(),
      limit: 1,
      besides: [...this.#recentlyFailed.list(), ...this.#underTest],
      firstMs: limits.complianceFirstMs,
    })
    return next
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
