import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricTable } from '../../jobs/metrics/table.ts'
import { createScaleWorld } from '../../scripts/world/scale.ts'
import { type ServedWorld, serveWorld } from '../../scripts/world/server.ts'
import { launchBrowser } from '../support/clients/driven-browser.ts'
import {
  Command,
  type Environment,
  findFreePort,
  makeTemporaryFolder,
  runRegistry,
  waitUntil,
} from '../support/processes/command.ts'
import { findChild } from '../support/processes/processes.ts'

const folder = makeTemporaryFolder()
const lists = makeTemporaryFolder()
const domains = createScaleWorld({ domains: 60, seed: 1 })
const TOKEN = 'an-operators-token'
let world: ServedWorld
let env: Environment
let start: Command
let api: string
let operator: string
const alone: Command[] = []

beforeAll(async () => {
  world = await serveWorld(domains)
  env = {
    DATA_DIR: folder.path,
    CRAWL_CONNECT_TO: world.url,
    PORT: String(await findFreePort()),
    OPERATOR_PORT: String(await findFreePort()),
    LOG_LEVEL: 'warn',
    REDIS_URL: undefined,
  }
  const list = `${lists.path}/domains.txt`
  writeFileSync(list, domains.domains.join('\n'))
  start = new Command(['start', '--domains', list], env)
  await start.waitForOutput(/^Ready\./m)
  api = `http://127.0.0.1:${env.PORT}`
  operator = `http://127.0.0.1:${env.OPERATOR_PORT}`
})

afterAll(async () => {
  for (const command of alone) await command.interrupt()
  await start?.interrupt()
  await world?.close()
  folder.remove()
  lists.remove()
})

const readMetrics = async (base = operator) => (await fetch(`${base}/metrics`)).text()

/** Sums a metric over all its labels. */
function sum(text: string, name: string): number {
  const lines = Array.from(text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm')))
  return lines.reduce((total, [, value]) => total + Number(value), 0)
}

async function readProblems(base: string): Promise<{ status: number; problems: string[] }> {
  const answer = await fetch(`${base}/readyz`)
  const { problems } = (await answer.json()) as { problems: string[] }
  return { status: answer.status, problems }
}

describe('the operator’s port of a running registry', () => {
  test('shows what every role did', async () => {
    const text = await waitUntil(async () => {
      const read = await readMetrics()
      return sum(read, 'registry_files') > 0 && sum(read, 'registry_due_files') === 0 && read
    })
    for (const role of ['api', 'crawler', 'indexer', 'push']) {
      expect(text).toContain(`registry_role_up{role="${role}"} 1\n`)
      expect(text).toMatch(
        new RegExp(`^process_resident_memory_bytes\\{role="${role}"\\} \\d`, 'm'),
      )
    }
    const files = sum(text, 'registry_files_crawled_total')
    expect(files).toBeGreaterThanOrEqual(2 * domains.domains.length)
    expect(sum(text, 'registry_observations_total')).toBe(files)
    expect(sum(text, 'registry_fetch_seconds_count')).toBeGreaterThanOrEqual(files / 2)
    expect(sum(text, 'registry_commit_seconds_count')).toBeGreaterThan(1)
    for (const step of ['accounts', 'index', 'serving', 'events', 'snapshot', 'checkpoint']) {
      expect(text).toMatch(
        new RegExp(`registry_commit_step_seconds_count\\{step="${step}"\\} [1-9]`),
      )
    }
    expect(sum(text, 'registry_events_total')).toBeGreaterThan(0)
    expect(sum(text, 'registry_redis_up')).toBe(1)
    expect(text).toMatch(/^registry_store_bytes\{store="record"\} [1-9]/m)
    expect(Date.now() / 1_000 - sum(text, 'registry_last_commit_timestamp_seconds')).toBeLessThan(
      600,
    )
    expect(text).toContain('registry_queue_jobs{queue="crawl",state="waiting"} 0')
    expect(text).toContain('registry_requests_refused_total{reason="not_public"} 0')
  })

  test('begins with a page that links all that it serves, and says what is wrong', async () => {
    const answer = await fetch(`${operator}/`)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await answer.text()
    const links = Array.from(html.matchAll(/href="([^"]+)"/g), ([, link]) => link!)
    expect(links.slice(0, 4)).toEqual([`${api}/`, '/metrics', '/readyz', '/healthz'])
    expect(links[4]).toMatch(/\/docs\/guides\/registry-operator$/)
    for (const link of links) expect((await fetch(new URL(link, operator))).status).toBe(200)
    expect(html).toContain('No problems found.')
    expect(html).toContain('Set OPERATOR_TOKEN to see them')
  })

  test('answers a broken body as the fault of who sent it', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${operator}/`, { method: 'POST', headers, body: '' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringContaining('Body') })
    expect(start.stdout + start.stderr).not.toContain('request to the operator port failed')
  })

  test('exposes only metrics of the table, in the format of Prometheus', async () => {
    const text = await readMetrics()
    const named = Array.from(text.matchAll(/^# TYPE (registry_\w+) /gm), ([, name]) => name!)
    expect(named.filter(name => !(name in metricTable))).toEqual([])
    // The reference agent, a bucket, backups and replicas are not part of every registry.
    const elsewhere = /^registry_(agent_|upload_|backup_|replica_)/
    const missing = Object.keys(metricTable).filter(
      name => !named.includes(name) && !elsewhere.test(name),
    )
    expect(missing).toEqual([])
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect(checked.stderr + checked.stdout).toBe('')
    expect(checked.status).toBe(0)
  })

  test('is not the API’s: callers get no metrics', async () => {
    expect((await fetch(`${api}/metrics`)).status).toBe(404)
  })

  test('says that a frozen indexer does not answer, which the API says too, while it reads on', async () => {
    expect(await readProblems(operator)).toEqual({ status: 200, problems: [] })
    const indexer = await waitUntil(async () => findChild(start.child.pid!, 'registry.js indexer'))
    process.kill(indexer, 'SIGSTOP')
    try {
      const { status, problems } = await readProblems(operator)
      expect(status).toBe(503)
      expect(problems).toEqual([
        `the indexer does not answer: if this lasts, end it with \`kill -9 ${indexer}\`, and \`start\` starts it again`,
      ])
      expect(await readMetrics()).toContain('registry_role_up{role="indexer"} 0\n')
      const metrics = await waitUntil(async () => {
        const ready = await readProblems(api)
        return ready.problems.length > 0 && ready
      }, 60)
      expect(metrics.status).toBe(200)
      expect(metrics.problems[0]).toMatch(/^the writer has made no progress since 20\S+ \S+ UTC: /)
      expect((await fetch(`${api}/api/brands/registry`)).status).toBe(200)
      expect(await runRegistry(['org', 'create', '--name', 'Unheard'], env)).toMatchObject({
        status: 1,
        stderr:
          `The indexer does not answer: if this lasts, end it with \`kill -9 ${indexer}\`, and \`start\` starts it again. ` +
          'It may still do this once it resumes: check before you try again.\n',
      })
      expect((await runRegistry(['verify'], env)).stderr).toContain(`\`kill -9 ${indexer}\``)
      await waitUntil(async () => start.stderr.includes(`end it with \`kill -9 ${indexer}\``), 60)
    } finally {
      process.kill(indexer, 'SIGCONT')
    }
    await waitUntil(async () => (await readProblems(operator)).status === 200, 60)
    expect((await readProblems(api)).problems).toEqual([])
    await waitUntil(async () => /the indexer answers again, after \d+ s/.test(start.stderr), 60)
  })

  test('counts a role that was started again', async () => {
    const crawler = await waitUntil(async () => findChild(start.child.pid!, 'registry.js crawler'))
    process.kill(crawler, 'SIGKILL')
    await waitUntil(async () => {
      const text = await readMetrics()
      return (
        text.includes('registry_role_restarts_total{role="crawler"} 1\n') &&
        text.includes('registry_role_up{role="crawler"} 1\n')
      )
    })
  })

  test('says that the log of events is not continued, and status says why', async () => {
    const head = `${folder.path}/accounts/log-head`
    const restart = async () =>
      process.kill(
        await waitUntil(async () => findChild(start.child.pid!, 'registry.js indexer')),
        'SIGKILL',
      )
    const note = await waitUntil(async () => existsSync(head) && readFileSync(head, 'utf8'))
    writeFileSync(head, note.replace(/\d+/, '1'))
    await restart()
    const { blocking, problems } = await waitUntil(async () => {
      const answer = await fetch(`${operator}/readyz`)
      const ready = (await answer.json()) as { blocking: string[]; problems: string[] }
      return ready.blocking.some(problem => problem.includes('the log of events')) && ready
    }, 60)
    expect(blocking).toContain('the log of events is not continued: `registry status` says why')
    expect(problems).toContainEqual(
      expect.stringMatching(/^the log of events is not continued: the head of the log cannot/),
    )
    const { stdout } = await runRegistry(['status'], env)
    expect(stdout).toMatch(
      /! the log of events is not continued: the head of the log cannot be continued/,
    )
    writeFileSync(head, note)
    await restart()
    await waitUntil(async () => (await readProblems(operator)).status === 200, 60)
  })

  test('refuses pages in a browser that reach it by another name', async () => {
    const status = await new Promise(resolve => {
      const headers = { host: 'rebound.example' }
      request(`${operator}/metrics`, { headers }, ({ statusCode }) => resolve(statusCode)).end()
    })
    expect(status).toBe(403)
  })
})

describe('a role that runs alone', () => {
  const run = async (role: string, more: Environment = {}) => {
    const { redis_url } = JSON.parse(readFileSync(`${folder.path}/run.json`, 'utf8'))
    const OPERATOR_PORT = String(await findFreePort())
    alone.push(new Command([role], { ...env, REDIS_URL: redis_url, ...more, OPERATOR_PORT }))
    const base = `http://127.0.0.1:${OPERATOR_PORT}`
    await waitUntil(async () => (await fetch(`${base}/healthz`)).ok)
    return base
  }

  test('shows its own metrics to holders of the token', async () => {
    const base = await run('crawler', { OPERATOR_TOKEN: TOKEN })
    await waitUntil(async () => (await fetch(`${base}/readyz`)).ok)
    expect((await fetch(`${base}/metrics`)).status).toBe(401)
    const wrong = { authorization: `Bearer ${TOKEN}x` }
    expect((await fetch(`${base}/metrics`, { headers: wrong })).status).toBe(401)
    const password = Buffer.from(`operator:${TOKEN}`).toString('base64')
    for (const authorization of [`Bearer ${TOKEN}`, `Basic ${password}`]) {
      const answer = await fetch(`${base}/metrics`, { headers: { authorization } })
      expect(answer.headers.get('content-type')).toContain('version=0.0.4')
      expect(await answer.text()).toContain('registry_role_up{role="crawler"} 1\n')
    }
  })

  test('shows the queues to holders of the token, and lets nobody change them', async () => {
    const base = await run('indexer', { OPERATOR_TOKEN: TOKEN })
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await fetch(`${base}/queues`)).status).toBe(401)
    expect(await (await fetch(`${base}/queues/`, { headers })).text()).toContain('<title>Registry')
    const { queues } = (await waitUntil(async () => {
      const answer = await fetch(`${base}/queues/api/queues?activeQueue=crawl`, { headers })
      return answer.ok && answer.json()
    })) as { queues: { name: string; readOnlyMode: boolean }[] }
    expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(['crawl', 'live']))
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true)
    const url = `${base}/queues/api/queues/crawl/pause`
    const paused = await fetch(url, { method: 'PUT', headers })
    expect(paused.status).toBe(405)
    const foreign = { ...headers, origin: 'https://other.example' }
    expect((await fetch(url, { method: 'PUT', headers: foreign })).status).toBe(403)
  })

  test('shows the queues in a browser, without requests to other servers', async () => {
    const base = await run('indexer', { OPERATOR_TOKEN: TOKEN })
    const browser = await launchBrowser()
    try {
      const httpCredentials = { username: 'operator', password: TOKEN }
      const page = await browser.newPage({ httpCredentials })
      await page.goto(`${base}/`)
      expect(await page.getByRole('link').allTextContents()).toContain('Queues')
      expect(await page.locator('.notice').getByRole('listitem').allTextContents()).toEqual([
        'the indexer is starting or on standby',
      ])
      const answered: string[] = []
      page.on('response', response => void answered.push(new URL(response.url()).origin))
      await page.goto(`${base}/queues/`)
      await page.getByText('observations').first().waitFor()
      expect([...new Set(answered)]).toEqual([base])
      expect(await page.locator('script:not([src]):not([type])').count()).toBe(0)
    } finally {
      await browser.close()
    }
  })

  test('says that its Redis does not answer', async () => {
    const base = await run('crawler', { REDIS_URL: `redis://127.0.0.1:${await findFreePort()}` })
    await waitUntil(async () => {
      const { status, problems } = await readProblems(base)
      return (
        status === 503 && problems.some((text: string) => text.startsWith('Redis does not answer'))
      )
    })
  })

  test('says that it stands by', async () => {
    const base = await run('indexer')
    const { status, problems } = await readProblems(base)
    expect([status, problems]).toEqual([503, ['the indexer is starting or on standby']])
  })
})

test('a port that others reach requires a token', async () => {
  const refused = await new Command(['crawler'], { OPERATOR_HOST: '0.0.0.0' }).finish()
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('OPERATOR_HOST requires OPERATOR_TOKEN')
})
