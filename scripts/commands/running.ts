import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Desk, openDesk } from '../../jobs/enqueue.ts'
import type { Question } from '../../jobs/questions.ts'
import type { RunFile } from '../../jobs/run-file.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import { createLog } from '../../pipeline/core/log.ts'
import { Lease } from '../../pipeline/index/lease.ts'
import { pathsOf } from '../../pipeline/index/paths.ts'
import { Sequencer } from '../../pipeline/index/sequencer.ts'
import type { Answer, Asker, Operation } from '../../pipeline/model/submission.ts'

/** Who types waits longer than who calls: until the bulk commits before it are made. */
const PATIENCE = { redisConnectMs: 10_000, redisAnswerMs: 10_000, answerMs: 60_000 }

/** The desk of a command. */
export function deskAt(redisUrl: string, name: string, level = 'error'): Desk {
  return openDesk(redisUrl, createLog(name, level), PATIENCE)
}

/** The registry that runs on this DATA_DIR. `run.json` is believed only while the lease is held. */
export async function runningRegistry(config: Config): Promise<RunFile | undefined> {
  const paths = pathsOf(config.DATA_DIR)
  if (!existsSync(paths.run) || !existsSync(paths.lease)) return undefined
  if (!(await Lease.isHeld(paths.lease))) return undefined
  return JSON.parse(readFileSync(paths.run, 'utf8')) as RunFile
}

/** Hands operations to the running registry, or carries them out alone when none runs. */
export async function carryOut(config: Config, operations: Operation[]): Promise<Answer[]> {
  const by = whoTypes()
  return besideOrAlone(
    config,
    desk => Promise.all(operations.map(operation => desk.submit(operation, { by }))),
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

/** Asks the running registry, or looks alone when none runs. */
export function askOrLook<Result>(
  config: Config,
  question: Question,
  look: (sequencer: Sequencer) => Promise<Result>,
): Promise<Result> {
  return besideOrAlone(config, desk => desk.ask<Result>(question), look)
}

async function besideOrAlone<Result>(
  config: Config,
  beside: (desk: Desk) => Promise<Result>,
  alone: (sequencer: Sequencer) => Promise<Result>,
): Promise<Result> {
  const run = await runningRegistry(config)
  if (run) {
    const desk = deskAt(run.redis_url, 'registry')
    try {
      return await beside(desk)
    } finally {
      await desk.close()
    }
  }
  const sequencer = await openAlone(config)
  try {
    return await alone(sequencer)
  } finally {
    await sequencer.close()
  }
}

/** Who uses the command line, as the system names them. */
export function whoTypes(): Asker {
  try {
    return { kind: 'command', id: userInfo().username }
  } catch {
    // A container may run as a number that has no name.
    return { kind: 'command', id: String(process.getuid?.() ?? 'unknown') }
  }
}

/** The sequencer in this process, for a command that runs without a registry. */
export async function openAlone(config: Config, level = 'warn'): Promise<Sequencer> {
  const log = createLog('registry', level)
  const sequencer = await Sequencer.open({ config, clock: systemClock, log })
  if (sequencer === undefined) throw new Error(`another process is writing to ${config.DATA_DIR}`)
  return sequencer
}

/** The answer's facts; a refusal ends the command with its words. */
export function doneOrExit(answer: Answer): Record<string, unknown> {
  if ('done' in answer) return answer.done
  process.stderr.write(`${answer.refused}\n`)
  process.exit(1)
}
