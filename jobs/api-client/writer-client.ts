import { randomUUID } from 'node:crypto'
import { PublicError } from '../../pipeline/core/errors.ts'
import { limits } from '../../pipeline/core/limits.ts'
import type { Log } from '../../pipeline/core/log.ts'
import type {
  LiveRequestAnswers,
  LiveRequestName,
  LiveRequestOf,
} from '../../pipeline/model/live/live-request.ts'
import type {
  StoryboardAnswers,
  StoryboardJobKind,
  StoryboardJobOf,
} from '../../pipeline/model/storyboards/storyboard-job.ts'
import type { Answer, Operation, Submission } from '../../pipeline/model/submission.ts'
import type { Question } from '../indexer/questions.ts'
import { UNRECORDED_JOBS_KEY } from '../queues.ts'
import { connectRedis } from '../redis.ts'
import { type FoundJob, type JobHandle, openRpcQueue, type RpcQueueName } from './rpc-queue.ts'
import { type ClientTimeouts, SubmissionClient } from './submission-client.ts'

/** Time for an answer of the indexer: a backup takes minutes. */
const QUESTION_MS = 600_000
const RETRY_AFTER_S = 5
const UNRECORDED_JOBS_MAX = 1_000

/** Submits writes to the sequencer and awaits their answers. */
export interface WriterClient {
  /**
   * Resolves when the operation is committed and readers see it. Throws the public error
   * `unavailable` when Redis or the sequencer is unavailable; the operation may still be carried
   * out later, once. `meta` names the caller and the request; a submission with an id is carried
   * out once however often it is sent.
   */
  submit(operation: Operation, meta?: Partial<Omit<Submission, 'operation'>>): Promise<Answer>
  /** Asks the indexer something, and waits `ms` milliseconds at most; fails as `submit` does. */
  ask<Result>(question: Question, ms?: number): Promise<Result>
  /**
   * Requests an immediate fetch by a crawler; throws `unavailable` when none answered in time. The requests
   * that this causes are counted for the caller, if one is given.
   */
  requestLive<Name extends LiveRequestName>(
    request: LiveRequestOf<Name>,
    ms: number,
    caller?: string,
  ): Promise<LiveRequestAnswers[Name]>
  /**
   * Runs a storyboard on a crawler; throws `unavailable` when none answered in time. When the signal is
   * aborted nobody waits anymore, and the crawler stops.
   */
  runStoryboard<Kind extends StoryboardJobKind>(
    job: StoryboardJobOf<Kind>,
    options: { ms: number; signal: AbortSignal; handle?: JobHandle },
  ): Promise<StoryboardAnswers[Kind]>
  /** Finds a retained job by its id; fails as `runStoryboard` does. */
  findStoryboardJob(id: string): Promise<FoundJob | undefined>
  /** Ends a kept job. */
  cancelStoryboardJob(id: string): Promise<void>
  /** Lists the ids of kept jobs that were not forgotten, the oldest first; at most a thousand. */
  listUnrecordedJobs(): Promise<string[]>
  /** Takes a kept job off that list, once its end is stored. */
  forgetUnrecordedJob(id: string): Promise<void>
  close(): Promise<void>
}

/** The part of the client that the API uses. */
export type ApiWriter = Pick<
  WriterClient,
  'submit' | 'requestLive' | 'runStoryboard' | 'findStoryboardJob' | 'cancelStoryboardJob'
>

/** Opens a client of the indexer and the crawlers over Redis, with connections of its own. */
export function openWriterClient(
  redisUrl: string,
  log: Log,
  timeouts: ClientTimeouts = limits,
): WriterClient {
  const commands = connectRedis(redisUrl, 'failFast', log, timeouts)
  const openQueue = (name: RpcQueueName) =>
    openRpcQueue(name, commands, () => connectRedis(redisUrl, 'waitForever', log), timeouts)
  const subscriber = connectRedis(redisUrl, 'waitForever', log)
  const submissions = new SubmissionClient({ commands, subscriber }, timeouts)
  const questions = openQueue('questions')
  const liveRequests = openQueue('live')
  const storyboards = openQueue('storyboards')
  let isClosing = false
  const answerOrRefuse = async <Result>(
    job: string,
    reply: Promise<unknown>,
    signal?: AbortSignal,
  ) => {
    try {
      return (await reply) as Result
    } catch (error) {
      // Who gave up knows it, and a Redis that is away has been named once by its connection.
      const isExpected = isClosing || signal?.aborted || commands.status !== 'ready'
      const level = isExpected ? 'debug' : 'warn'
      log[level]({ job, error: getMessage(error) }, 'unanswered')
      throw new PublicError(
        'unavailable',
        'the registry cannot accept this at the moment; try again',
        { retry_after: RETRY_AFTER_S },
      )
    }
  }
  return {
    submit(operation, meta = {}) {
      const submission: Submission = { submission_id: randomUUID(), ...meta, operation }
      return answerOrRefuse(operation.op, submissions.submit(submission))
    },
    ask: (question, ms = QUESTION_MS) =>
      answerOrRefuse(question.ask, questions.request(question.ask, question, ms)),
    requestLive: (request, ms, caller) =>
      answerOrRefuse(
        request.kind,
        liveRequests.request(
          request.kind,
          caller === undefined ? request : { ...request, caller },
          ms,
        ),
      ),
    runStoryboard: (job, { ms, signal, handle }) =>
      answerOrRefuse(
        `storyboard ${job.kind}`,
        storyboards.request(job.kind, job, ms, signal, handle),
        signal,
      ),
    findStoryboardJob: id => answerOrRefuse('storyboard found', storyboards.find(id)),
    cancelStoryboardJob: id => answerOrRefuse('storyboard cancelled', storyboards.cancel(id)),
    async listUnrecordedJobs() {
      // While Redis is down nothing is lost: it is asked again.
      if (commands.status !== 'ready') return []
      return commands.zrange(UNRECORDED_JOBS_KEY, '0', String(UNRECORDED_JOBS_MAX - 1))
    },
    async forgetUnrecordedJob(id) {
      await commands.zrem(UNRECORDED_JOBS_KEY, id)
    },
    async close() {
      isClosing = true
      submissions.close()
      await Promise.all([questions, liveRequests, storyboards].map(queue => queue.close()))
      commands.disconnect()
    },
  }
}

export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
