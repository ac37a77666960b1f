import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REDIS_PREFIX } from '../../jobs/redis.ts'
import { systemClock } from '../../pipeline/core/clock.ts'
import { closeCatalog, makeBundle, makeFolder } from '../support/fixtures/bundles.ts'
import type { TestRegistry } from '../support/registry/app.ts'
import { enrol } from '../support/registry/members.ts'
import type { LiveWeb } from '../support/servers/live-web.ts'
import { type ReferenceAgent, startReferenceAgent } from '../support/servers/reference-agent.ts'
import { openReferenceWeb, serveReferenceAgent } from '../support/servers/storyboards.ts'

const URL = 'https://next.example/signals/mcp'
const settings = { PROTOCOL_NAME: 'adcp' }
const folder = makeFolder()

/** Versions that the agent says it speaks. */
let spoken = ['3.0', '3.1']

let agent: ReferenceAgent
let web: LiveWeb
let registry: TestRegistry
let key: string

beforeAll(async () => {
  makeBundle(folder)
  agent = await startReferenceAgent(systemClock)
  web = await openReferenceWeb(
    agent,
    {
      'next.example': serveReferenceAgent(agent, {
        isOpen: true,
        damage: (payload, { task }) =>
          task === 'get_adcp_capabilities'
            ? { ...payload, adcp: { ...payload.adcp, supported_versions: spoken } }
            : payload,
      }),
    },
    { STORYBOARDS: folder },
  )
  registry = await web.open({ storyboardRunsPerHour: 1_000 }, { settings })
  key = await enrol(registry, {
    org: 'Next',
    tier: 'company_standard',
    domains: ['next.example'],
    agents: [{ url: URL, type: 'signals', visibility: 'public' }],
  })
})

afterAll(async () => {
  closeCatalog()
  rmSync(folder, { recursive: true })
  await web.close()
  await agent.close()
})

const at = `/api/registry/agents/${encodeURIComponent(URL)}`
const read = async (url: string) => (await registry.app.inject(url)).json()
async function post(path: string) {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await registry.app.inject({ method: 'POST', url: `${at}/${path}`, headers })
  return { status: answer.statusCode, body: answer.json() }
}

test('storyboards are listed by the target that is asked for, and read by their ids', async () => {
  const usual = await read('/api/storyboards')
  expect(usual).toMatchObject({ requested_compliance_target: '3.0', adcp_version: '3.0.6' })
  const next = await read('/api/storyboards?compliance_target=3.1')
  expect(next).toMatchObject({ requested_compliance_target: '3.1', adcp_version: '3.1.0' })
  const ids = next.storyboards.map(({ id }: { id: string }) => id)
  expect(ids).toContain('3.1:added_here')
  expect(await read('/api/storyboards?compliance_target=3.0')).toEqual(usual)
  expect(await read(`/api/storyboards/${encodeURIComponent('3.1:added_here')}`)).toMatchObject({
    adcp_version: '3.1.0',
    storyboard: { id: '3.1:added_here', title: 'Capabilities, as the next version has them' },
  })
  const page = await registry.app.inject('/storyboards?compliance_target=3.1')
  expect(page.body).toContain('/storyboard/3.1%3Aadded_here')
  expect(page.body).toContain('href="/storyboards?compliance_target=3.0"')
  expect((await registry.app.inject('/storyboards?compliance_target=nothing')).statusCode).toBe(200)
  const unknown = await registry.app.inject('/api/storyboards?compliance_target=3.2')
  expect([unknown.statusCode, unknown.json().error]).toEqual([400, expect.any(String)])
})

test('a run and a comparison say which version they are of', async () => {
  const id = encodeURIComponent('3.1:added_here')
  expect(await post(`storyboard/${id}/run`)).toMatchObject({
    status: 200,
    body: {
      requested_compliance_target: '3.1',
      adcp_version: '3.1.0',
      storyboard_status: { storyboard_id: '3.1:added_here', status: 'passing' },
    },
  })
  expect((await post(`storyboard/${id}/compare`)).body).toMatchObject({
    requested_compliance_target: '3.1',
    adcp_version: '3.1.0',
  })
})

test('an agent that speaks two versions earns a badge for each, and loses that of one it drops', async () => {
  const { body } = await post('refresh')
  expect(body.compliance).toMatchObject({
    ran: true,
    requested_compliance_target: '3.1',
    badge_eligible_adcp_versions: ['3.1', '3.0'],
  })
  const compliance = await read(`${at}/compliance`)
  expect(compliance).toMatchObject({
    verified_roles: ['signals'],
    verified_role_versions: { signals: ['3.1', '3.0'] },
    verified_badges: [
      { adcp_version: '3.1', verified_protocol_version: '3.1.0' },
      { adcp_version: '3.0', verified_protocol_version: '3.0.6' },
    ],
  })
  const statuses: { storyboard_id: string; requested_compliance_target: string }[] =
    compliance.storyboard_statuses
  expect(Map.groupBy(statuses, status => status.requested_compliance_target).size).toBe(2)
  expect((await registry.app.inject(`${at}/badge/signals/3.1.svg`)).body).toContain('3.1')
  spoken = ['3.0']
  await web.redis.redis.del(`${REDIS_PREFIX}:storyboards:agent:${URL}`)
  expect((await post('refresh')).status).toBe(200)
  expect((await read(`${at}/compliance`)).verified_role_versions).toEqual({ signals: ['3.0'] })
  expect((await read(`${at}/verification`)).badges).toHaveLength(1)
})
