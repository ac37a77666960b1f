import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { WriterClient } from '../../jobs/api-client/writer-client.ts'
import type { Question } from '../../jobs/indexer/questions.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { type Answer, type Asker, Operation } from '../../pipeline/model/submission.ts'
import { Lease } from '../../pipeline/store/lease.ts'
import { resolvePaths } from '../../pipeline/store/paths.ts'
import type { Sequencer, SequencerOptions } from '../../pipeline/writer/sequencer.ts'

/**
 * A person at a terminal waits longer than an API client: until the bulk commits in front are made.
 */
const CLIENT_TIMEOUTS = { redisConnectMs: 10_000, redisAnswerMs: 10_000, answerMs: 60_000 }

const RETRY_MS = 1_000
/** Time that a registry which is starting gets to say where it runs. */
const STARTING_MS = 10_000
const LOOK_EVERY_MS = 100

/** Connects a command to the indexer. A command that finds none running does not load its queue. */
export async function connectWriter(
  redisUrl: string,
  name: string,
  level = 'error',
): Promise<WriterClient> {
  const { openWriterClient } = await import('../../jobs/api-client/writer-client.ts')
  return openWriterClient(redisUrl, createLog(name, level), CLIENT_TIMEOUTS)
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
 * Finds the registry that runs on this DATA_DIR. `run.json` counts only while the lease is held.
 */
export async function findRunningRegistry(config: Config): Promise<RunFile | undefined> {
  const paths = resolvePaths(config.DATA_DIR)
  if (!existsSync(paths.run) || !existsSync(paths.lease)) return undefined
  if (!(await Lease.isHeld(paths.lease))) return undefined
  return JSON.parse(readFileSync(paths.run, 'utf8')) as RunFile
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

/** Submits operations to the running registry, or applies them in this process when none runs. */
export async function submitOrApply(
  config: Config,
  input: readonly Record<string, unknown>[],
): Promise<Answer[]> {
  const operations = input.map(parseOperation)
  const by = identifyUser()
  return withRegistry(
    config,
    { begins: operations.every(({ op }) => beginnings.has(op)) },
    writer => Promise.all(operations.map(operation => writer.submit(operation, { by }))),
    async sequencer => {
      const submissions = operations.map(operation => ({
        submission_id: randomUUID(),
        operation,
        by,
      }))
      const { answers } = await sequencer.commit({ observations: [], submissions })
      return submissions.map(({ submission_id }) => answers.get(submission_id)!)
    },
  )
}

/** Asks the running registry, or opens the stores in this process when none runs. */
export function askOrOpen<Result>(
  config: Config,
  question: Question,
  look: (sequencer: Sequencer) => Promise<Result>,
): Promise<Result> {
  return withRegistry(config, {}, writer => writer.ask<Result>(question), look)
}

async function withRegistry<Result>(
  config: Config,
  how: OpenOptions,
  beside: (writer: WriterClient) => Promise<Result>,
  alone: (sequencer: Sequencer) => Promise<Result>,
): Promise<Result> {
  const { run, sequencer } = await findOrOpen(config, how)
  if (run) {
    const writer = await connectWriter(run.redis_url, 'registry')
    try {
      return await beside(writer)
    } finally {
      await writer.close()
    }
  }
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

type OpenOptions = Pick<SequencerOptions, 'acceptsOlderIndex'> & {
  /** Creates the registry where there is none. */
  begins?: boolean
}

type Found = { run: RunFile; sequencer?: never } | { run?: never; sequencer: Sequencer }

/** Finds the running registry, or opens the sequencer in this process where none runs. */
export async function findOrOpen(config: Config, how: OpenOptions = {}): Promise<Found> {
  const run = await findRunningRegistry(config)
  if (run) return { run }
  const sequencer = await openUnlessTaken(config, how)
  if (sequencer) return { sequencer }
  const started = await waitForStartingRegistry(config)
  return started ? { run: started } : { sequencer: await openAlone(config, how) }
}

/** Finds the registry of which another process has the lease; undefined where that process is not one, or ends. */
async function waitForStartingRegistry(config: Config): Promise<RunFile | undefined> {
  const { lease } = resolvePaths(config.DATA_DIR)
  for (const end = performance.now() + STARTING_MS; ; await setTimeout(LOOK_EVERY_MS)) {
    const run = await findRunningRegistry(config)
    if (run || performance.now() > end || !(await Lease.isHeld(lease))) return run
  }
}

/** Opens the sequencer in this process, for a command that runs without a registry. */
export async function openAlone(config: Config, how: OpenOptions = {}): Promise<Sequencer> {
  const sequencer = await openUnlessTaken(config, how)
  if (sequencer === undefined) throw new Error(`another process is writing to ${config.DATA_DIR}`)
  return sequencer
}

async function openUnlessTaken(
  config: Config,
  { begins = false, ...how }: OpenOptions,
): Promise<Sequencer | undefined> {
  if (!begins) assertRegistry(config)
  const { Sequencer } = await import('../../pipeline/writer/sequencer.ts')
  return Sequencer.open({ config, clock: systemClock, log: createLog('registry', 'warn'), ...how })
}

/** Throws where there is no registry: a mistyped DATA_DIR must not create one. */
export function assertRegistry({ DATA_DIR }: Config): void {
  const { dir, index, accounts } = resolvePaths(DATA_DIR)
  if (existsSync(index) || existsSync(accounts)) return
  throw new Error(`there is no registry in ${dir}: is DATA_DIR right?`)
}

/** Returns what was done; a refusal is printed and ends the command. */
export function unwrapOrExit(answer: Answer): Record<string, unknown> {
  if ('done' in answer) return answer.done
  process.stderr.write(`${answer.refused}\n`)
  process.exit(1)
}
