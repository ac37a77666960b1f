import { randomUUID } from 'node:crypto'
import type { FeedEvent } from '../../../pipeline/model/event.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import type { Answer, Submission } from '../../../pipeline/model/submission.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { observeFile } from '../fixtures/observations.ts'
import type { TestClock } from '../worlds/clock.ts'

type Kind = 'property' | 'collection'

export function buildMerge(
  kind: Kind,
  alias_rid: string,
  canonical_rid: string,
  evidence?: string,
): Submission {
  const rids = { alias_rid, canonical_rid, ...(evidence === undefined ? {} : { evidence }) }
  return { submission_id: randomUUID(), operation: { op: `${kind}.merge`, ...rids } }
}

/** A registry, and what tests of merged records need of it. */
export class MergingRegistry {
  readonly registry: Sequencer
  readonly clock: TestClock

  constructor(registry: Sequencer, clock: TestClock) {
    this.registry = registry
    this.clock = clock
  }

  /** Commits a night in which these files are read, and returns the types of its events. */
  async runNight(files: Record<string, object>): Promise<string[]> {
    const at = this.clock.tick({ days: 1 })
    const observations = Object.entries(files).map(([domain, file]) =>
      observeFile('adagents.json', domain, file, at),
    )
    return this.commit(observations)
  }

  /** Commits a batch and returns the types of its events. */
  async commit(observations: Observation[], submissions: Submission[] = []): Promise<string[]> {
    const events = await this.commitForEvents(observations, submissions)
    return events.map(event => event.event_type)
  }

  /** Commits a batch and returns its events. */
  async commitForEvents(
    observations: Observation[],
    submissions: Submission[] = [],
  ): Promise<FeedEvent[]> {
    const { seq } = await this.registry.commit({ observations, submissions })
    const rows = await this.registry.index.all<FeedEvent & { seq: number }>(
      `select * from events where seq = ${seq} order by event_id`,
    )
    return rows.map(({ seq: _, ...event }) => event)
  }

  async merge(...submissions: Submission[]): Promise<Answer[]> {
    const { answers } = await this.registry.commit({ observations: [], submissions })
    return submissions.map(({ submission_id }) => answers.get(submission_id)!)
  }

  async findRid(kind: Kind, domain: string, slug: string): Promise<string> {
    const row = await this.registry.index.one<{ rid: string }>(
      kind === 'property'
        ? `select property_rid as rid from properties
           where publisher_domain = '${domain}' and property_id = '${slug}'`
        : `select collection_rid as rid from collections
           where publisher_domain = '${domain}' and collection_id = '${slug}'`,
    )
    return row!.rid
  }

  rows<Row = Record<string, unknown>>(sql: string): Promise<Row[]> {
    return this.registry.index.all<Row>(sql)
  }
}
