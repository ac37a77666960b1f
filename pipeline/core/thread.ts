import { Worker } from 'node:worker_threads'

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
  return new Worker(program, { eval: true, workerData })
}
