import type { ProcessReport } from '../../jobs/metrics/messages.ts'
import { type Instant, SECOND } from '../../pipeline/core/clock.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { describeFrozenProcess, nameRole } from '../../pipeline/read/health.ts'

/** Interval of the looks: a process that is only busy answers one of two. */
const LOOK_EVERY_MS = 10_000

const EFFECTS: Readonly<Record<string, string>> = {
  indexer: 'Reads go on; saves and crawls wait.',
  api: 'Requests to it get no response.',
  crawler: 'Reads and saves go on; crawls wait.',
  push: 'Webhooks and mails wait.',
}

type Silence = { since: Instant; isLogged: boolean }

/** Logs when a process of a `start` falls silent, and when it answers again: a line each. */
export class RoleWatch {
  readonly #log: Pick<Log, 'warn' | 'error'>
  /** By process id: one that is started again begins anew. */
  readonly #silences = new Map<number, Silence>()

  constructor(log: Pick<Log, 'warn' | 'error'>) {
    this.#log = log
  }

  /** Looks every few seconds until the process ends. */
  start(readReports: () => Promise<ProcessReport[]>, now: () => Instant): void {
    setInterval(async () => this.look(await readReports(), now()), LOOK_EVERY_MS).unref()
  }

  look(reports: readonly ProcessReport[], now: Instant): void {
    for (const { role, pid, values, isStarting } of reports) {
      if (pid === undefined || isStarting) continue
      if (values === undefined) this.#noteSilence(role, pid, now)
      else this.#noteAnswer(role, pid, now)
    }
    const running = new Set(reports.map(({ pid }) => pid))
    for (const pid of this.#silences.keys()) if (!running.has(pid)) this.#silences.delete(pid)
  }

  #noteSilence(role: string, pid: number, now: Instant): void {
    const silence = this.#silences.get(pid)
    if (silence === undefined) this.#silences.set(pid, { since: now, isLogged: false })
    else if (!silence.isLogged) {
      silence.isLogged = true
      this.#log.error(`${describeFrozenProcess(role, pid)}. ${EFFECTS[role] ?? ''}`.trimEnd())
    }
  }

  #noteAnswer(role: string, pid: number, now: Instant): void {
    const silence = this.#silences.get(pid)
    this.#silences.delete(pid)
    if (!silence?.isLogged) return
    const seconds = Math.round((now - silence.since) / SECOND)
    this.#log.warn(`the ${nameRole(role)} answers again, after ${seconds} s`)
  }
}
