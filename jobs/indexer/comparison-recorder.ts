import type { Log } from '../../pipeline/core/log.ts'
import type {
  ComparedRuns,
  NeedsCredential,
} from '../../pipeline/model/storyboards/storyboard-job.ts'
import { StoryboardJob } from '../../pipeline/model/storyboards/storyboard-job.ts'
import { buildComparisonRecord } from '../../pipeline/resolve/comparison-record.ts'
import type { FoundJob } from '../api-client/rpc-queue.ts'
import type { WriterClient } from '../api-client/writer-client.ts'

interface ComparisonRecorderParts {
  writer: Pick<
    WriterClient,
    'submit' | 'findStoryboardJob' | 'listUnrecordedJobs' | 'forgetUnrecordedJob'
  >
  log: Log
}

/**
 * Stores comparisons that no caller waits for, even if the API process that requested them has ended. The API
 * stores them too as soon as they end; both use the same submission id, so each is stored once.
 */
export class ComparisonRecorder {
  readonly #parts: ComparisonRecorderParts

  constructor(parts: ComparisonRecorderParts) {
    this.#parts = parts
  }

  /** Stores the comparisons that have ended; returns how many. */
  async storeEnded(): Promise<number> {
    const { writer } = this.#parts
    let stored = 0
    for (const id of await writer.listUnrecordedJobs()) {
      const job = await writer.findStoryboardJob(id)
      if (job?.status === 'queued' || job?.status === 'running') continue
      if (job !== undefined && (await this.#store(id, job))) stored++
      await writer.forgetUnrecordedJob(id)
    }
    return stored
  }

  async #store(run_id: string, { data, answer, status }: FoundJob): Promise<boolean> {
    const { writer, log } = this.#parts
    const job = StoryboardJob.safeParse(data).data
    const compared = answer as ComparedRuns | NeedsCredential | undefined
    if (job?.kind !== 'compare' || !job.record || !compared || !('comparison' in compared)) {
      log.debug({ run: run_id, status }, 'a comparison has no result')
      return false
    }
    const operation = buildComparisonRecord(
      { run_id, agent_url: job.agent_url, ...job.record },
      compared,
    )
    const result = await writer.submit(operation, { submission_id: run_id })
    if ('refused' in result) log.warn({ run: run_id, ...result }, 'a comparison is not stored')
    return 'done' in result
  }
}
