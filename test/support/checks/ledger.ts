import { expect } from 'vitest'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Submission } from '../../../pipeline/model/submission.ts'
import type { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import type { WriterProcess } from '../processes/script-process.ts'
import { readFeeds } from './feed.ts'

/** Submissions that writers were handed, and the commits of those that they acknowledged. */
export class Ledger {
  readonly handed = new Map<string, Submission>()
  readonly acknowledged = new Map<string, number>()
  /** The feed when it was last checked. */
  feed: string[] = []

  /** Adds what a writer has told so far. */
  add(writer: WriterProcess): void {
    for (const submissions of writer.listValues<Submission[]>('handed')) {
      for (const submission of submissions) this.handed.set(submission.submission_id, submission)
    }
    for (const { seq, ids } of writer.listValues<{ seq: number; ids: string[] }>('acknowledged')) {
      for (const id of ids) this.acknowledged.set(id, seq)
    }
  }

  /** Checks that the stores agree, that the feed goes on, and that each submission that was acknowledged was carried out once. */
  async check(registry: Sequencer): Promise<void> {
    expect(await verify(registry)).toEqual([])
    const done = await registry.index.all<{ id: string; seq: number }>(
      'select submission_id as id, seq from submissions order by seq',
    )
    const commits = new Map(done.map(({ id, seq }) => [id, seq]))
    expect(commits.size, 'submissions carried out once').toBe(done.length)
    const lost = [...this.acknowledged].filter(([id, seq]) => (commits.get(id) ?? seq + 1) > seq)
    expect(lost, 'acknowledged submissions').toEqual([])
    const { index, files, serving } = await readFeeds(registry)
    expect(files, 'event files').toEqual(index)
    expect(serving, 'serving store').toEqual(index)
    expect(index, 'the order of the feed').toEqual([...new Set(index)].sort())
    expect(index.slice(0, this.feed.length), 'the feed so far').toEqual(this.feed)
    this.feed = index
  }
}
