import type { Clock, Instant } from '../pipeline/core/clock.ts'
import { crawlSummary } from '../pipeline/index/crawl-summary.ts'
import type { Sequencer } from '../pipeline/index/sequencer.ts'
import { verify } from '../pipeline/index/verify.ts'

/** What may be asked of a running indexer. Nobody commits while it looks. */
export type Question =
  | { ask: 'verify' }
  | { ask: 'crawl_summary'; since: Instant; withFaults: boolean }

export function answerQuestion(
  question: Question,
  sequencer: Sequencer,
  clock: Clock,
): Promise<unknown> {
  return sequencer.quietly(async () => {
    switch (question.ask) {
      case 'verify':
        return verify(sequencer)
      case 'crawl_summary':
        return crawlSummary(sequencer.index, question.since, clock.now(), question)
    }
  })
}
