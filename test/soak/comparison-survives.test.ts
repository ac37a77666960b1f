import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../pipeline/core/clock.ts'
import {
  Command,
  findFreePort,
  makeTemporaryFolder,
  runForOutput,
  waitUntil,
} from '../support/processes/command.ts'
import { buildMemberOperations } from '../support/registry/members.ts'
import { type LiveWeb, openLiveWeb } from '../support/servers/live-web.ts'
import {
  type Payload,
  type ReferenceAgent,
  startReferenceAgent,
  TOKEN,
} from '../support/servers/reference-agent.ts'
import { serveReferenceAgent } from '../support/servers/storyboards.ts'

const AGENT = 'https://paused.example/sales/mcp'
const agentPath = `/api/registry/agents/${encodeURIComponent(AGENT)}`

let agent: ReferenceAgent
let web: LiveWeb
let folder: ReturnType<typeof makeTemporaryFolder>
let env: Record<string, string>
let base: string
let secret: string
const roles: Command[] = []
let goOn = () => {}
const paused = new Promise<void>(resolve => {
  goOn = resolve
})

function run(role: string): Command {
  const command = new Command([role], env)
  roles.push(command)
  return command
}

async function runApi(): Promise<Command> {
  const api = run('api')
  await waitUntil(async () => {
    const ready = await fetch(`${base}/readyz`).catch(() => undefined)
    return ready?.status === 200
  })
  return api
}

async function ask(method: string, path: string): Promise<{ status: number; body: Payload }> {
  const headers = { authorization: `Bearer ${secret}`, prefer: 'respond-async' }
  const answer = await fetch(`${base}${path}`, { method, headers })
  return { status: answer.status, body: (await answer.json()) as Payload }
}

beforeAll(async () => {
  agent = await startReferenceAgent(systemClock)
  web = await openLiveWeb(
    {
      'reference.example': serveReferenceAgent(agent),
      'paused.example': serveReferenceAgent(agent, {
        isOpen: true,
        listen: ({ task }) => (task === 'create_media_buy' ? paused : undefined),
      }),
    },
    { storyboardMs: 120_000, storyboardStepMs: 120_000 },
    {
      PROTOCOL_NAME: 'adcp',
      REFERENCE_AGENT_URL: 'https://reference.example',
      REFERENCE_AGENT_TOKEN: TOKEN,
    },
  )
  folder = makeTemporaryFolder()
  const port = await findFreePort()
  base = `http://127.0.0.1:${port}`
  env = {
    DATA_DIR: folder.path,
    REDIS_URL: web.redis.url,
    PORT: String(port),
    PROTOCOL_NAME: 'adcp',
  }
  await runForOutput(['org', 'create', '--name', 'Patient'], env)
  secret = await runForOutput(['key', 'create', '--org', 'Patient'], env)
  run('indexer')
  await runApi()
  for (const operation of buildMemberOperations({ org: 'Patient', agents: [{ url: AGENT }] })) {
    await web.writer.submit(operation)
  }
}, 300_000)

afterAll(async () => {
  goOn()
  for (const role of roles) await role.interrupt()
  await web?.close()
  await agent?.close()
  folder?.remove()
})

test('a comparison continues, is shown and is stored when the process that began it is killed', async () => {
  const begun = await ask('POST', `${agentPath}/storyboard/stale_revision/compare`)
  expect(begun).toMatchObject({ status: 202, body: { status: 'queued' } })
  const { comparison_id, progress_url } = begun.body
  const read = async () => (await ask('GET', progress_url)).body
  await expect
    .poll(read, { timeout: 60_000 })
    .toMatchObject({ status: 'running', user_steps_done: 1 })
  const [api] = roles.slice(-1)
  api!.child.kill('SIGKILL')
  await api!.finish()
  goOn()
  await runApi()
  await expect
    .poll(read, { timeout: 60_000 })
    .toMatchObject({ status: 'completed', user_steps_done: 5, reference_steps_done: 5 })
  const { result } = await read()
  expect(result.user_agent.summary).toMatchObject({ overall_status: 'passing' })
  const listCalls = async () =>
    (await ask('GET', `${agentPath}/monitoring/requests`)).body.requests.map(
      ({ id, request_type, success }: Payload) => ({ id, request_type, success }),
    )
  await expect
    .poll(listCalls, { timeout: 60_000, interval: 500 })
    .toEqual([{ id: comparison_id, request_type: 'comparison', success: true }])
}, 300_000)
