import { Worker } from 'node:worker_threads'

/** Memory for young objects: V8 would take up to 67 MB, and an idle process keeps most of that after the thread has ended. */
const YOUNG_MB = 8

/**
 * Starts a thread that runs a module beside the one of this address, such as `agent-index-thread` beside `import.meta.url`. It
 * ends with the module's work.
 */
export function startThread(beside: string, module: string, workerData: unknown): Worker {
  const isBuilt = beside.endsWith('.js')
  const { href } = new URL(`./${module}.${isBuilt ? 'js' : 'ts'}`, beside)
  // A thread has no loader of TypeScript until it asks for one.
  const loader = isBuilt ? '' : "(await import('tsx/esm/api')).register();"
  const program = `(async () => { ${loader} await import(${JSON.stringify(href)}) })()`
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB }
  return new Worker(program, { eval: true, workerData, resourceLimits })
}
