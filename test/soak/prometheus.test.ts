import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { metricTable } from '../../jobs/metrics/table.ts'
import { findFreePort, makeTemporaryFolder, waitUntil } from '../support/processes/command.ts'
import { type Demo, startDemo } from '../support/processes/demo.ts'
import { findChild } from '../support/processes/processes.ts'

const operate = join(import.meta.dirname, '../../docs/operate')
const folder = makeTemporaryFolder()
let demo: Demo
let prometheus: ChildProcess
let url: string

/** Metrics that a healthy registry without subscribers and name lookups does not have. */
const EMPTY = [
  // Only where PUBLISH_TO is a bucket.
  'registry_upload_behind_seconds',
  // Only with BACKUP_TO.
  'registry_backup_behind_seconds',
  // Only on replicas.
  'registry_replica_lag_seconds',
  'registry_name_lookup_seconds',
  'registry_deliveries_total',
  'registry_requests_total{status=~"5.."}',
]

interface Rule {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const rules: Rule[] = parse(readFileSync(join(operate, 'alerts.yml'), 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
const { panels } = JSON.parse(readFileSync(join(operate, 'grafana-dashboard.json'), 'utf8')) as {
  panels: { title: string; description?: string; targets?: { expr: string }[] }[]
}

beforeAll(async () => {
  const operator = String(await findFreePort())
  const port = await findFreePort()
  cpSync(operate, folder.path, { recursive: true })
  // Everything a few times faster; a scrape that waits for a frozen process takes less than 3 s.
  const shipped = readFileSync(join(operate, 'prometheus.yml'), 'utf8')
  const config = shipped.replaceAll('15s', '3s').replace('127.0.0.1:3100', `127.0.0.1:${operator}`)
  writeFileSync(join(folder.path, 'prometheus.yml'), config)
  const shippedRules = readFileSync(join(operate, 'alerts.yml'), 'utf8')
  writeFileSync(join(folder.path, 'alerts.yml'), shippedRules.replaceAll('for: 1m', 'for: 15s'))
  url = `http://127.0.0.1:${port}`
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${folder.path}/prometheus.yml`,
      `--storage.tsdb.path=${folder.path}/tsdb`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  demo = await startDemo('Operators', { OPERATOR_PORT: operator })
  await fetch(`${demo.base}/api/brands/resolve?domain=acme.example`)
  await fetch(`${demo.base}/api/brands/enrich?domain=only-a-home-page.example`)
})

afterAll(async () => {
  prometheus?.kill()
  if (prometheus?.exitCode === null) await once(prometheus, 'exit')
  await demo?.close()
  folder.remove()
})

async function query(expr: string): Promise<{ status: string; error?: string; count: number }> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`)
  const { status, error, data } = (await answer.json()) as {
    status: string
    error?: string
    data?: { result: unknown[] }
  }
  return { status, ...(error && { error }), count: data?.result.length ?? 0 }
}

/** Lists the vector selectors of an expression, without their ranges. */
function listSelectors(expr: string): string[] {
  return Array.from(
    expr.matchAll(/\b(?:registry|process|nodejs)_\w+(?:\{[^}]*\})?/g),
    ([one]) => one,
  )
}

const isEmpty = (selector: string) => EMPTY.some(empty => selector.startsWith(empty))

async function listAlerts(): Promise<{ name: string; state: string }[]> {
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
    data: { alerts: { labels: Record<string, string>; state: string }[] }
  }
  return data.alerts.map(({ labels, state }) => ({ name: labels.alertname!, state }))
}

describe('the dashboard and the alerts of docs/operate', () => {
  test('are accepted by Prometheus', () => {
    for (const check of [
      ['rules', 'alerts.yml'],
      ['config', 'prometheus.yml'],
    ]) {
      const { status, stderr } = spawnSync('promtool', ['check', ...check], {
        cwd: operate,
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, ''])
    }
  })

  test('show every metric of the table', () => {
    const shown = JSON.stringify(panels)
    expect(Object.keys(metricTable).filter(name => !shown.includes(name))).toEqual([])
    for (const { title, description, targets } of panels) {
      if (targets) expect([title, description?.length]).not.toEqual([title, 0])
    }
  })

  test('say for each alert what is wrong and what to do', () => {
    expect(rules.length).toBeGreaterThan(12)
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket'], alert).toContain(labels.severity)
      expect(annotations.summary?.length, alert).toBeGreaterThan(10)
      expect(annotations.description?.length, alert).toBeGreaterThan(40)
    }
  })

  test('find their series in a running registry', async () => {
    await waitUntil(async () => (await query('registry_files > 0')).count > 0)
    await waitUntil(async () => (await query('rate(registry_live_requests_total[30s])')).count > 0)
    const missing: string[] = []
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const asked = expr.replaceAll('$__rate_interval', '5m')
        const { error, count } = await query(asked)
        const mayBeEmpty = listSelectors(expr).some(isEmpty)
        if (error || (count === 0 && !mayBeEmpty)) missing.push(`${title}: ${asked}: ${error}`)
      }
    }
    for (const { alert, expr } of rules) {
      expect((await query(expr)).error, alert).toBeUndefined()
      for (const selector of listSelectors(expr)) {
        if (isEmpty(selector) || isEmpty(`${selector.split('{')[0]}`)) continue
        const isOf5xx = selector.includes('5..')
        if ((await query(selector)).count === 0 && !isOf5xx) missing.push(`${alert}: ${selector}`)
      }
    }
    expect(missing).toEqual([])
  })

  test('are silent while all is well, and report a frozen indexer', async () => {
    expect((await listAlerts()).filter(({ state }) => state === 'firing')).toEqual([])
    const indexer = await waitUntil(async () => findChild(demo.pid, 'registry.js indexer'))
    process.kill(indexer, 'SIGSTOP')
    try {
      await waitUntil(
        async () =>
          (await listAlerts()).some(
            ({ name, state }) => name === 'RegistryRoleDown' && state === 'firing',
          ),
        120,
      )
    } finally {
      process.kill(indexer, 'SIGCONT')
    }
    await waitUntil(
      async () => !(await listAlerts()).some(({ name }) => name === 'RegistryRoleDown'),
      60,
    )
  })
})
