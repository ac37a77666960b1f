import type { Instant } from '../core/clock.ts'
import { requireValue } from '../core/present.ts'
import type { Source } from '../model/observation.ts'
import type { Derivation, KnownFile, Question } from '../resolve/derivation.ts'
import { noFile } from '../serving/hosted-files.ts'
import { type Files, LARGE_FILE_BYTES } from './derivation-files.ts'

export interface Derived<Subject, Answer> {
  subject: Subject
  answer: Answer
  /** Every file from which the answer was read, its own first: its dependencies. */
  asked: Source[]
  /** Time at which the answer next changes by itself. */
  wakesAt: Instant | undefined
}

/**
 * Runs one rule for many subjects in parallel steps: loads the files that they all need next together, then
 * continues each rule with its own.
 */
export async function deriveAll<Subject, Answer>(
  subjects: readonly Subject[],
  rule: (subject: Subject) => Derivation<Answer>,
  files: Files,
): Promise<Derived<Subject, Answer>[]> {
  const all = subjects.map(subject => new Running(subject, rule(subject)))
  await runInStep(all, files)
  return all.map(run => run.result(files.now))
}

/** Limits on the answers that one commit derives from large files. */
export interface LargeFiles<Subject, Answer> {
  /** Number of large files that may be read. */
  count: number
  /** Subjects that are derived whatever they ask for. */
  urgent: ReadonlySet<Subject>
  /** Weight of answers from large files above which no further one is derived. */
  maxWeight: number
  weigh(answer: Answer): number
}

/**
 * Runs a rule as `deriveAll` does, but reads only a limited number of large files. Subjects that need more of
 * them are postponed, before any of these files is read.
 */
export async function deriveWithin<Subject, Answer>(
  subjects: readonly Subject[],
  rule: (subject: Subject) => Derivation<Answer>,
  files: Files,
  large: LargeFiles<Subject, Answer>,
): Promise<{ derived: Derived<Subject, Answer>[]; postponed: Subject[] }> {
  const all = subjects.map(subject => new Running(subject, rule(subject)))
  const urgent = all.filter(({ subject }) => large.urgent.has(subject))
  await runInStep(urgent, files)
  let waiting = await runInStep(
    all.filter(({ subject }) => !large.urgent.has(subject)),
    files,
    LARGE_FILE_BYTES,
  )
  let { count } = large
  let weight = 0
  // What the next subject weighs is not known before: so first one is tried, then twice as many.
  for (let tried = 1; waiting.length > 0 && weight < large.maxWeight; tried *= 2) {
    const next = requireValue(waiting[0]?.sees, 'file that the subject waits for')
    if (files.isSkipped(next) && count-- <= 0) break
    await files.load([next])
    const ready = waiting
      .filter(({ sees }) => sees !== undefined && !files.isSkipped(sees))
      .slice(0, tried)
    const tries = new Set(ready)
    const stopped = new Set(await runInStep(ready, files, LARGE_FILE_BYTES))
    waiting = [...stopped, ...waiting.filter(run => !tries.has(run))]
    for (const run of ready) {
      if (!stopped.has(run)) weight += large.weigh(run.result(files.now).answer)
    }
  }
  const postponed = new Set(waiting)
  return {
    derived: all.flatMap(run => (postponed.has(run) ? [] : run.result(files.now))),
    postponed: waiting.map(({ subject }) => subject),
  }
}

/** Runs rules to their answers; returns those that stopped at a file which is larger than `maxBytes`. */
async function runInStep<Subject, Answer>(
  all: readonly Running<Subject, Answer>[],
  files: Files,
  maxBytes?: number,
): Promise<Running<Subject, Answer>[]> {
  const stopped: Running<Subject, Answer>[] = []
  for (let running = [...all]; running.length > 0; ) {
    await files.load(
      running.flatMap(({ sees }) => sees ?? []),
      maxBytes,
    )
    const isStopped = ({ sees }: (typeof all)[number]) =>
      sees !== undefined && files.isSkipped(sees)
    stopped.push(...running.filter(isStopped))
    running = running.filter(run => !isStopped(run) && run.goOn(files))
  }
  return stopped
}

/** A running rule: it stops at each file that it needs. */
class Running<Subject, Answer> {
  readonly subject: Subject
  readonly #derivation: Derivation<Answer>
  readonly #requestedSources: Source[] = []
  readonly #wakes: Instant[] = []
  #step: IteratorResult<Question, Answer>

  constructor(subject: Subject, derivation: Derivation<Answer>) {
    this.subject = subject
    this.#derivation = derivation
    this.#step = derivation.next()
    this.#noteWakes()
  }

  get sees(): Source | undefined {
    return !this.#step.done && 'source' in this.#step.value ? this.#step.value.source : undefined
  }

  /** Shows it the file it stopped at; false once it has answered. */
  goOn(files: Files): boolean {
    const source = this.sees
    if (source === undefined) return false
    this.#step = this.#derivation.next(this.#findFile(source, files))
    this.#noteWakes()
    return !this.#step.done
  }

  /**
   * Finds a file for a rule. A hosted file is shown only to rules that came by its domain's own file:
   * so whatever depends on it depends on that one, which a save invalidates.
   */
  #findFile(source: Source, files: Files): KnownFile {
    const domain = files.hostedFor(source)
    if (domain === undefined) {
      this.#requestedSources.push(source)
      return files.get(source)
    }
    const led = this.#requestedSources.some(
      asked => asked.kind === source.kind && asked.location === domain,
    )
    return led ? files.get(source) : noFile
  }

  result(now: Instant): Derived<Subject, Answer> {
    if (!this.#step.done) throw new Error('a rule was read before it had an answer')
    const later = this.#wakes.filter(at => at > now)
    return {
      subject: this.subject,
      answer: this.#step.value,
      asked: this.#requestedSources,
      wakesAt: later.length === 0 ? undefined : Math.min(...later),
    }
  }

  #noteWakes(): void {
    while (!this.#step.done && 'wake' in this.#step.value) {
      this.#wakes.push(this.#step.value.wake)
      this.#step = this.#derivation.next()
    }
  }
}
