import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import { type RunningAgent, startAgent } from '../conformance/agent.ts'
import { type Fault, FaultProxy } from '../conformance/agreement/proxy.ts'
import { makeBundle } from '../support/fixtures/bundles.ts'
import { makeTemporaryFolder, runRegistry } from '../support/processes/command.ts'
import { runHere } from '../support/processes/command-here.ts'

const TOKEN = 'a-token-of-the-agent'
const folder = makeTemporaryFolder()
const bundle = join(folder.path, 'bundle')
const proxy = new FaultProxy()
let agent: RunningAgent
let url: string

/** An agent that speaks two versions, and names no kind of a signal that is known. */
const wrong: Fault = {
  name: 'speaks two versions',
  answer({ payload }, { task }) {
    if (task === 'get_adcp_capabilities') payload!.adcp.supported_versions = ['3.0', '3.1']
    if (task === 'get_signals')
      for (const signal of payload!.signals ?? []) signal.signal_type = 'found'
    return true
  },
}

beforeAll(async () => {
  makeBundle(bundle, { withSchemas: true })
  const origin = await proxy.listen()
  const settings = { PROTOCOL_NAME: 'adcp', AGENT_BASE_URL: origin }
  agent = await startAgent({ clock: systemClock, token: TOKEN, settings })
  proxy.app = agent.app
  url = `${origin}/signals/mcp`
})
afterAll(async () => {
  proxy.close()
  await agent.close()
  folder.remove()
})

// Nothing is set: the agents of the live web have the public names.
const settings = { DATA_DIR: join(folder.path, 'data') }
const run = (args: string[], STORYBOARDS = bundle, more = {}) =>
  runHere(['agent', 'test', url, ...args], { ...settings, STORYBOARDS, ...more })
const withToken = ['--token', TOKEN]

describe('registry agent test', () => {
  test('passes a right agent by the version that it speaks', async () => {
    proxy.fault = undefined
    const { status, stdout } = await run(withToken)
    expect(stdout).toMatch(/ steps passed, 0 failed, \d+ not run\n$/)
    expect(stdout).not.toContain('3.1:')
    expect(status).toBe(0)
  })

  test('tests a wrong one by each version that it speaks, and tells a build server', async () => {
    proxy.fault = wrong
    const args = ['agent', 'test', url, ...withToken, '--format', 'junit']
    const junit = await runRegistry(args, { ...settings, STORYBOARDS: bundle })
    expect(junit.status).toBe(2)
    for (const name of ['signal_owned', '3.1:signal_owned']) {
      expect(junit.stdout).toContain(`<testcase classname="${name}" name="search_owned_signals">`)
    }
    expect(junit.stdout).toMatch(/<failure message="response_schema at [^>]*>Change signals\[0\]/)
  })

  test('does not let an agent pass without the storyboards that are named', async () => {
    const { status, stderr, stdout } = await run(withToken, join(folder.path, 'nothing'))
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/nothing does not exist/)
  })

  test('does not let an agent pass of which a run did not see the end', async () => {
    proxy.fault = undefined
    const LIMITS = JSON.stringify({ storyboardCalls: 6 })
    const { status, stdout } = await run(withToken, bundle, { LIMITS })
    expect(stdout).toMatch(/^partial +deterministic_testing, \d+ of \d+ steps not run$/m)
    expect(stdout).toMatch(/ steps passed, 0 failed, \d+ not run\n$/)
    expect(status).toBe(2)
  })

  test('says that it needs a credential', async () => {
    const refused = await run([])
    expect([refused.status, refused.stderr]).toEqual([
      1,
      'The agent requires a credential: pass it with --token.\n',
    ])
  })
})
