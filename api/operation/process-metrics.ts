import { collectDefaultMetrics, Registry } from 'prom-client'

let ofProcess: Registry | undefined

/**
 * Registers what Node tells of this process: memory, processor, event loop. It is measured once for all
 * that show it, as a timer and an observer of each measurement run until the process ends.
 */
export function registerProcessMetrics(registry: Registry): void {
  ofProcess ??= measureProcess()
  for (const { name } of ofProcess.getMetricsAsArray()) {
    registry.registerMetric(ofProcess.getSingleMetric(name)!)
  }
}

function measureProcess(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
