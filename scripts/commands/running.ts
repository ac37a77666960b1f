import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import type { Question } from '../../jobs/indexer/questions.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { describeFullDisk } from '../../pipeline/core/disk-full.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { getFirst, getOrThrow } from '../../pipeline/core/present.ts'
import { type Answer, type Asker, Operation } from '../../pipeline/model/submission.ts'
import { describeFrozenRedis } from '../../pipeline/read/health.ts'
import { readFreeDisk, WRITE_BYTES_MIN } from '../../pipeline/store/free-disk.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import type { Sequencer } from '../../pipeline/writer/sequencer.ts'
import { toCommandSentence } from '../command-line/command-sentence.ts'
import { readSettings } from './environment.ts'
import { endWhenSilent } from './frozen-indexer.ts'
import { findOrOpen, type OpenOptions } from './open-registry.ts'

/**
 * A person at a terminal waits longer than an API client: until the bulk commits in front are made.
 */
const CLIENT_TIMEOUTS = { redisConnectMs: 10_000, redisAnswerMs: 10_000, answerMs: 60_000 }

/** Time that Redis has to answer a command. */
const REDIS_MS = 2_500
const RETRY_MS = 1_000
const MAY_FOLLOW = 'It may still do this once it resumes: check before you try again'

/** Connects a command to the indexer. A command that finds none running does not load its queue. */
export async function connectWriter(
  redisUrl: string,
  name: string,
  level = 'error',
): Promise<WriterClient> {
  const { openWriterClient } = await import('../../jobs/api-client/writer-client.ts')
  return openWriterClient(redisUrl, createLog(name, level), CLIENT_TIMEOUTS)
}

/**
 * Connects a command to a registry that was found running. Throws at once where its Redis is away. Unless it is patient,
 * a wait ends soon where the indexer is frozen.
 */
export async function connectRunning(
  { redis_url }: RunFile,
  name: string,
  { isPatient = false } = {},
): Promise<WriterClient> {
  const { assertRedisAnswers } = await import('../../jobs/redis.ts')
  const { findRedisPid, toRedisUrl } = await import('../../jobs/redis-server.ts')
  await assertRedisAnswers(redis_url, REDIS_MS).catch(error => {
    // On a full disk the Redis of `start` does not come up.
    assertDiskSpace(readSettings())
    const paths = resolvePaths(readSettings().DATA_DIR)
    const pid = redis_url === toRedisUrl(paths) ? findRedisPid(paths) : undefined
    throw pid === undefined ? error : new Error(describeFrozenRedis(pid))
  })
  const writer = await connectWriter(redis_url, name)
  if (isPatient) return writer
  const paths = resolvePaths(readSettings().DATA_DIR)
  return {
    ...writer,
    submit: (...args) => endWhenSilent(writer.submit(...args), paths, `. ${MAY_FOLLOW}`),
    ask: (...args) => endWhenSilent(writer.ask(...args), paths),
  }
}

/** Retries while the registry is unavailable: Redis or the indexer may be restarting. */
export async function retryWhileUnavailable<Result>(
  ask: () => Promise<Result>,
  patienceMs: number,
): Promise<Result> {
  for (const end = performance.now() + patienceMs; ; await setTimeout(RETRY_MS)) {
    try {
      return await ask()
    } catch (error) {
      const isAway = error instanceof PublicError && error.error === 'unavailable'
      if (!isAway || performance.now() > end) throw error
    }
  }
}

/**
 * Parses an operation from a command's arguments. An invalid one is refused here, before it is
 * submitted.
 */
export function parseOperation(input: Record<string, unknown>): Operation {
  const read = Operation.safeParse(input)
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return unwrapOrExit({ refused: faults.join('\n') }) as never
}

/** Operations that may create the registry where there is none. */
const beginnings: ReadonlySet<Operation['op']> = new Set([
  'organization.create',
  'domains.add',
  'policy.publish',
] as const)

/** Throws where nothing can be written: an indexer on a full disk would be waited for in vain. */
export function assertDiskSpace({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  const paths = resolvePaths(DATA_DIR)
  if (!existsSync(paths.record) || readFreeDisk(paths) >= WRITE_BYTES_MIN) return
  throw Object.assign(new Error(describeFullDisk(paths.dir)), { code: 'ENOSPC' })
}

/** Submits operations to the running registry, or applies them in this process when none runs. */
export async function submitOrApply(
  config: Config,
  input: readonly Record<string, unknown>[],
): Promise<Answer[]> {
  const operations = input.map(parseOperation)
  assertDiskSpace(config)
  const by = identifyUser()
  return withRegistry(
    config,
    { begins: operations.every(({ op }) => beginnings.has(op)), writes: true },
    writer => Promise.all(operations.map(operation => writer.submit(operation, { by }))),
    async sequencer => {
      const submissions = operations.map(operation => ({
        submission_id: randomUUID(),
        operation,
        by,
      }))
      const { answers } = await sequencer.commit({ observations: [], submissions })
      return submissions.map(({ submission_id }) => getOrThrow(answers, submission_id))
    },
  )
}

/** Submits one operation and returns what was done; a refusal is printed and ends the command. */
export async function performOrExit(
  config: Config,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return unwrapOrExit(getFirst(await submitOrApply(config, [input])))
}

/** Asks the running registry, or opens the stores in this process when none runs. */
export function askOrOpen<Result>(
  config: Config,
  question: Question,
  look: (sequencer: Sequencer) => Promise<Result>,
  how: OpenOptions = {},
): Promise<Result> {
  return withRegistry(config, how, writer => writer.ask<Result>(question), look)
}

/** Asks a registry that was found running. */
export function askRunning<Result>(run: RunFile, question: Question): Promise<Result> {
  return withWriter(run, writer => writer.ask<Result>(question))
}

async function withWriter<Result>(
  run: RunFile,
  work: (writer: WriterClient) => Promise<Result>,
): Promise<Result> {
  const writer = await connectRunning(run, 'registry')
  try {
    return await work(writer)
  } finally {
    await writer.close()
  }
}

async function withRegistry<Result>(
  config: Config,
  how: OpenOptions,
  beside: (writer: WriterClient) => Promise<Result>,
  alone: (sequencer: Sequencer) => Promise<Result>,
): Promise<Result> {
  const { run, sequencer } = await findOrOpen(config, how)
  if (run) return withWriter(run, beside)
  try {
    return await alone(sequencer)
  } finally {
    await sequencer.close()
  }
}

/** Names the system user who runs the command. */
export function identifyUser(): Asker {
  try {
    return { kind: 'command', id: userInfo().username }
  } catch {
    // In a container the user id may have no name.
    return { kind: 'command', id: String(process.getuid?.() ?? 'unknown') }
  }
}

/** Returns what was done; a refusal is printed and ends the command. */
export function unwrapOrExit(answer: Answer): Record<string, unknown> {
  if ('done' in answer) return answer.done
  process.stderr.write(`${toCommandSentence(answer.refused)}\n`)
  process.exit(1)
}
