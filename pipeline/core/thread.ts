import { Worker } from 'node:worker_threads'

/**
 * Option of Node for a process of the registry: V8 takes up to 16 MB twice over for young objects. By itself it takes 64, and
 * keeps what it once took. An indexer of 10^5 domains has 423 MB with it instead of 576, and an API that has sent
 * pages of the feed 283 instead of 366, for the same processor time.
 */
export const youngObjectsOption = '--max-semi-space-size=16'

/** Memory for young objects of a thread: V8 would take up to 67 MB, and an idle process keeps most of that after the thread has ended. */
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
