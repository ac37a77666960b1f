import type { Metric } from 'prom-client'

/** Times of one operation: how many fell into each bucket, and their sum in seconds. */
export class Times {
  readonly #bounds: readonly number[]
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  add(seconds: number): void {
    const bounds = this.#bounds
    let i = 0
    while (i < bounds.length && seconds > (bounds[i] as number)) i++
    ;(this.counts[i] as number)++
    this.sum += seconds
  }
}

/**
 * Shows times as a histogram of prom-client. Its own takes a microsecond for a time, since it finds the place of the labels by a
 * text of them; here whoever measures holds the place.
 */
export class TimeHistogram {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly aggregator: string
  readonly #label: string
  readonly #bounds: readonly number[]
  readonly #times = new Map<string, Times>()

  constructor(
    { name, help, aggregator }: Pick<TimeHistogram, 'name' | 'help' | 'aggregator'>,
    label: string,
    bounds: readonly number[],
  ) {
    this.name = name
    this.help = help
    this.aggregator = aggregator
    this.#label = label
    this.#bounds = bounds
  }

  /** Returns the times that are shown with this value of the label. */
  findTimes(value: string): Times {
    const times = this.#times.get(value) ?? new Times(this.#bounds)
    this.#times.set(value, times)
    return times
  }

  async get() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: [...this.#listValues()] }
  }

  *#listValues() {
    for (const [label, { counts, sum }] of this.#times) {
      if (sum === 0) continue
      const labels = { [this.#label]: label }
      let count = 0
      for (const [i, le] of [...this.#bounds, '+Inf'].entries()) {
        count += counts[i] ?? 0
        yield { labels: { le, ...labels }, value: count, metricName: `${this.name}_bucket` }
      }
      yield { labels, value: sum, metricName: `${this.name}_sum` }
      yield { labels, value: count, metricName: `${this.name}_count` }
    }
  }

  /** Returns this as the library's type, of which a registry only uses what is here. */
  toMetric(): Metric {
    return this as unknown as Metric
  }
}
