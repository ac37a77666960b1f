import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerProcessMetrics } from '../../../../jobs/metrics/process-metrics.ts'

test('all APIs of a process show its measurements, which are taken once', async () => {
  const [one, other] = [new Registry(), new Registry()]
  for (const registry of [one, other]) {
    registerProcessMetrics(registry, 'api')
    expect(await registry.metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds\{role="\w+"\} \d/m)
  }
  const metrics = one.getMetricsAsArray()
  expect(metrics.length).toBeGreaterThan(20)
  expect(other.getMetricsAsArray()).toEqual(metrics)
  for (const { name } of metrics) {
    expect(other.getSingleMetric(name)).toBe(one.getSingleMetric(name))
  }
})
