import { collectDefaultMetrics, Registry } from 'prom-client'
import { requireValue } from '../../pipeline/core/present.ts'

/** Gauges that are named like counters, which Prometheus refuses to check; each has a version by type. */
const MISNAMED = ['handles', 'requests', 'resources'].map(what => `nodejs_active_${what}_total`)

let processMetrics: Registry | undefined

/**
 * Registers what Node tells of this process: memory, processor, event loop. It is measured once for all
 * that show it, as a timer and an observer of each measurement run until the process ends.
 */
export function registerProcessMetrics(registry: Registry, role: string): void {
  processMetrics ??= measureProcess(role)
  for (const { name } of processMetrics.getMetricsAsArray()) {
    registry.registerMetric(requireValue(processMetrics.getSingleMetric(name), name))
  }
}

function measureProcess(role: string): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, labels: { role } })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return registry
}
