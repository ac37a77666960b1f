import { type Demo, startDemo } from '../support/processes/demo.ts'

const own = 'writers.example'
let demo: Promise<Demo> | undefined

/** Starts the demo for all cases of the public client, whose organization has a domain of its own. */
export function startClientDemo(): Promise<Demo> {
  demo ??= start()
  return demo
}

async function start(): Promise<Demo> {
  const started = await startDemo('Writers', { BASE_URL: 'https://registry.example' })
  await started.runForOutput('org', 'domain', 'add', own, '--org', 'Writers')
  return started
}
