/** Sums of the indexer's commits over a span of its log. */
export interface Commits {
  count: number
  seconds: number
  /** CPU of the indexer over that span, its other work included. */
  cpuSeconds: number
  observations: number
  /** Files among them whose bytes were new. */
  changed: number
  events: number
}

const none: Commits = {
  count: 0,
  seconds: 0,
  cpuSeconds: 0,
  observations: 0,
  changed: 0,
  events: 0,
}

interface CommitLine extends Pick<Commits, 'observations' | 'changed' | 'events'> {
  ms: number
  cpu_ms: number
}

/** Adds up the commits in the indexer's log. */
export class CommitLog {
  #commits = none

  hear(line: string): void {
    if (!line.includes('"committed"')) return
    const logged = JSON.parse(line) as CommitLine
    const { count, seconds, cpuSeconds, observations, changed, events } = this.#commits
    this.#commits = {
      count: count + 1,
      seconds: seconds + logged.ms / 1_000,
      cpuSeconds: cpuSeconds + logged.cpu_ms / 1_000,
      observations: observations + logged.observations,
      changed: changed + logged.changed,
      events: events + logged.events,
    }
  }

  /** Returns the commits since the last call. */
  take(): Commits {
    const commits = this.#commits
    this.#commits = none
    return commits
  }
}
