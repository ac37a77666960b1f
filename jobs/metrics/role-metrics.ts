import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { getFirst } from '../../pipeline/core/present.ts'
import { registerProcessMetrics } from './process-metrics.ts'
import { findMetric, type MetricNameOf } from './table.ts'
import { TimeHistogram } from './time-histogram.ts'

/** The values of one process, as they travel to the process that serves them. */
export type MeasuredValues = MetricObjectWithValues<MetricValue<string>>[]

/** Metrics of the processes of one role. Each metric is an entry of the table. */
export class RoleMetrics {
  readonly #registry = new Registry()

  constructor(role: string) {
    registerProcessMetrics(this.#registry, role)
  }

  /** Returns a counter; it is registered at its first use. */
  getCounter(name: MetricNameOf<'counter'>): Counter {
    return this.#find<Counter>(name) ?? new Counter(this.#describe(name))
  }

  getHistogram(name: MetricNameOf<'histogram'>): Histogram {
    const { buckets = [] } = findMetric(name)
    const options = { ...this.#describe(name), buckets: [...buckets] }
    return this.#find<Histogram>(name) ?? new Histogram(options)
  }

  /** Registers a histogram with one label for what happens too often for that of the library. */
  createTimeHistogram(name: MetricNameOf<'histogram'>): TimeHistogram {
    const { buckets = [] } = findMetric(name)
    const { labelNames, ...described } = this.#describe(name)
    const histogram = new TimeHistogram(described, getFirst(labelNames), buckets)
    this.#registry.registerMetric(histogram.toMetric())
    return histogram
  }

  /** Reads a counter on each scrape, with the values of its labels. */
  watchCounts(
    name: MetricNameOf<'counter'>,
    read: () => Iterable<readonly [labels: Record<string, string>, count: number]>,
  ): void {
    new Counter({
      ...this.#describe(name),
      collect() {
        this.reset()
        for (const [labels, count] of read()) this.inc(labels, count)
      },
    })
  }

  getGauge(name: MetricNameOf<'gauge'>): Gauge {
    return this.#find<Gauge>(name) ?? new Gauge(this.#describe(name))
  }

  /** Reads a gauge on each scrape; it is left out while its value is not known. */
  watch(
    name: MetricNameOf<'gauge'>,
    read: () => number | undefined | Promise<number | undefined>,
  ): void {
    new Gauge({
      ...this.#describe(name),
      async collect() {
        const value = await read()
        // `reset` would show 0.
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }

  /** Reads a gauge with one label on each scrape, by the values of that label. */
  watchEach(
    name: MetricNameOf<'gauge'>,
    label: string,
    read: () => Readonly<Record<string, number>>,
  ): void {
    new Gauge({
      ...this.#describe(name),
      collect() {
        this.reset()
        for (const [value, number] of Object.entries(read())) this.set({ [label]: value }, number)
      },
    })
  }

  read(): Promise<MeasuredValues> {
    return this.#registry.getMetricsAsJSON() as Promise<MeasuredValues>
  }

  /** Renders the metrics of this process in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #find<Kind>(name: string): Kind | undefined {
    return this.#registry.getSingleMetric(name) as Kind | undefined
  }

  #describe(name: Parameters<typeof findMetric>[0]) {
    const { means, labels = {}, combine = 'sum' } = findMetric(name)
    const labelNames = Object.keys(labels)
    return { name, help: means, labelNames, aggregator: combine, registers: [this.#registry] }
  }
}

/** Renders the values of several processes as one text in the format of Prometheus. */
export function renderMetrics(measured: readonly MeasuredValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...measured]).metrics()
}
