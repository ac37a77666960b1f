import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { TimeHistogram } from '../../../../jobs/metrics/time-histogram.ts'

it('times of requests are shown as the library would show them', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const described = { name: 'seconds', help: 'times', aggregator: 'sum' as const }
  const buckets = [0.001, 0.01, 0.1]
  const histogram = new TimeHistogram(described, 'operation', buckets)
  ours.registerMetric(histogram.toMetric())
  const library = new Histogram({
    ...described,
    labelNames: ['operation'],
    buckets,
    registers: [theirs],
  })
  histogram.findTimes('never')
  for (const [operation, seconds] of [
    ['resolve', 0.0005],
    ['resolve', 0.001],
    ['resolve', 0.05],
    ['resolve', 3],
    ['search', 0.02],
  ] as const) {
    histogram.findTimes(operation).add(seconds)
    library.observe({ operation }, seconds)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
  expect(await ours.getMetricsAsJSON()).toEqual(
    (await theirs.getMetricsAsJSON()).map(metric => ({
      ...metric,
      values: (metric.values as object[]).map(value => ({ ...value, exemplar: undefined })),
    })),
  )
})
