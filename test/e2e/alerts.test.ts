import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { makeTemporaryFolder } from '../support/processes/command.ts'

const rulesFile = join(import.meta.dirname, '../../docs/operate/alerts.yml')

interface Rule {
  alert: string
  labels: Record<string, string>
  annotations: { summary: string; description: string }
}

/** Values of a series, one a minute, as promtool writes them: `0+1x20` counts from 0 to 20. */
interface Series {
  bad: string
  well: string
}

interface Case {
  /** Series by selector; all have the instance that the alert is expected to name. */
  series: Record<string, Series>
  minute: number
  labels?: Record<string, string>
  summary: string
}

const always = (value: number | string) => `${value}+0x60`
const failsAndRecovers = '1 1 0 0 1+0x60'

const cases: Record<string, Case> = {
  RegistryNotScraped: {
    series: { 'up{job="registry"}': { bad: always(0), well: '1 0 1+0x60' } },
    minute: 3,
    labels: { job: 'registry' },
    summary: "The operator's port is not responding",
  },
  RegistryRoleDown: {
    series: { 'registry_role_up{role="crawler"}': { bad: always(0), well: failsAndRecovers } },
    minute: 5,
    labels: { role: 'crawler' },
    summary: 'The crawler is not responding',
  },
  RegistryRestarting: {
    series: {
      'registry_role_restarts_total{role="indexer"}': { bad: '0+1x60', well: '0 1 2+0x60' },
    },
    minute: 15,
    labels: { role: 'indexer' },
    summary: 'The indexer keeps restarting',
  },
  RegistryRedisDown: {
    series: { registry_redis_up: { bad: always(0), well: failsAndRecovers } },
    minute: 5,
    summary: 'Redis is not responding',
  },
  RegistryWriterStalled: {
    series: { registry_writer_busy_seconds: { bad: '60+60x60', well: '0 60 110 0+0x60' } },
    minute: 5,
    summary: 'The writer has been busy with one task for 6m 0s',
  },
  RegistryLogStopped: {
    series: { registry_log_stopped: { bad: always(1), well: always(0) } },
    minute: 6,
    summary: 'The tamper-evident log has stopped',
  },
  RegistryNoCommits: {
    series: {
      registry_due_files: { bad: always(12), well: always(12) },
      registry_last_commit_timestamp_seconds: { bad: always(0), well: '0+60x60' },
    },
    minute: 21,
    summary: '12 files are due, and nothing has been committed for 15 minutes',
  },
  RegistryBacklogOld: {
    series: { registry_due_age_seconds: { bad: always(7200), well: always(3500) } },
    minute: 16,
    summary: 'The oldest due file has been waiting for 2h 0m 0s',
  },
  RegistryListsOld: {
    series: { registry_snapshot_behind_seconds: { bad: always(3660), well: always(3600) } },
    minute: 1,
    summary: 'Lists and search have been out of date for 1h 1m 0s',
  },
  RegistryUploadBehind: {
    series: { registry_upload_behind_seconds: { bad: always(360), well: always(300) } },
    minute: 1,
    summary: 'The PUBLISH_TO bucket has been out of date for 6m 0s',
  },
  RegistryBackupBehind: {
    series: { registry_backup_behind_seconds: { bad: always(3660), well: always(3600) } },
    minute: 1,
    summary: 'The newest backup in BACKUP_TO has been out of date for 1h 1m 0s',
  },
  RegistryReplicaBehind: {
    series: { registry_replica_lag_seconds: { bad: always(360), well: always(300) } },
    minute: 1,
    summary: 'This replica has been behind its registry for 6m 0s',
  },
  RegistryPublishersHeld: {
    series: { registry_held_publishers: { bad: always(3), well: always(0) } },
    minute: 1,
    summary: 'Removals of 3 publishers are held back',
  },
  RegistryQuarantine: {
    series: { registry_quarantined_total: { bad: '0 0 1+0x60', well: always(1) } },
    minute: 5,
    summary: 'Observations could not be applied and were set aside',
  },
  RegistryJobsFailed: {
    series: {
      'registry_queue_jobs{queue="crawl",state="failed"}': {
        bad: always(2),
        well: '2+0x10 0+0x60',
      },
      'registry_queue_jobs{queue="crawl",state="waiting"}': { bad: always(9), well: always(9) },
    },
    minute: 16,
    labels: { queue: 'crawl', state: 'failed' },
    summary: 'Jobs in the queue crawl have failed',
  },
  RegistryNoCrawler: {
    series: { 'registry_queue_workers{queue="crawl"}': { bad: always(0), well: always(1) } },
    minute: 6,
    labels: { queue: 'crawl' },
    summary: 'No crawler is taking jobs',
  },
  RegistryCrawlFailing: {
    series: {
      'registry_files_crawled_total{kind="adagents.json",outcome="ok"}': {
        bad: '0+4x60',
        well: '0+6x60',
      },
      'registry_files_crawled_total{kind="adagents.json",outcome="timeout"}': {
        bad: '0+3x60',
        well: '0+3x60',
      },
      'registry_files_crawled_total{kind="brand.json",outcome="dns_failed"}': {
        bad: '0+3x60',
        well: '0+2x60',
      },
    },
    minute: 20,
    summary: 'Most fetches fail',
  },
  RegistryErrors: {
    series: {
      'registry_requests_total{status="200"}': { bad: '0+97x60', well: '0+1000x60' },
      'registry_requests_total{status="503"}': { bad: '0+3x60', well: '0+9x60' },
    },
    minute: 15,
    summary: 'More than 1% of responses are server errors',
  },
  RegistrySlowResponses: {
    series: {
      'registry_request_seconds_bucket{le="1"}': { bad: '0+97x60', well: '0+100x60' },
      'registry_request_seconds_bucket{le="2.5"}': { bad: '0+100x60', well: '0+100x60' },
      'registry_request_seconds_bucket{le="+Inf"}': { bad: '0+100x60', well: '0+100x60' },
    },
    minute: 20,
    summary: 'One response in a hundred takes more than a second',
  },
  RegistrySlowSaves: {
    series: {
      'registry_commit_seconds_bucket{kind="submissions",le="1"}': {
        bad: '0+9x60',
        well: '0+10x60',
      },
      'registry_commit_seconds_bucket{kind="submissions",le="2.5"}': {
        bad: '0+10x60',
        well: '0+10x60',
      },
      'registry_commit_seconds_bucket{kind="submissions",le="+Inf"}': {
        bad: '0+10x60',
        well: '0+10x60',
      },
      // A large commit of observations may take long.
      'registry_commit_seconds_bucket{kind="bulk",le="+Inf"}': { bad: '0+99x60', well: '0+99x60' },
    },
    minute: 20,
    summary: 'Saves take more than a second',
  },
  RegistryDiskLow: {
    series: {
      registry_disk_free_bytes: { bad: always(2 ** 31), well: always(4 * 2 ** 30) },
      'registry_store_bytes{store="record"}': { bad: always(2 ** 30), well: always(2 ** 30) },
    },
    minute: 6,
    summary: 'The disk of the stores has 2GiB left',
  },
  RegistryDeliveriesFailing: {
    series: {
      'registry_deliveries_total{result="failed"}': { bad: '0+6x90', well: '0+4x90' },
      'registry_deliveries_total{result="taken"}': { bad: '0+4x90', well: '0+6x90' },
    },
    minute: 70,
    summary: 'Most deliveries to subscribers fail',
  },
}

const rules: Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
const folder = makeTemporaryFolder()
afterAll(() => folder.remove())

const INSTANCE = 'registry.example:3100'

/** Adds the instance to a selector with or without labels. */
function toSelector(name: string): string {
  const [metric, labels] = name.split(/[{}]/)
  return `${metric}{${[labels, `instance="${INSTANCE}"`].filter(Boolean).join(',')}}`
}

/** Builds what promtool is told: how the series of a case run, and which alerts fire then. */
function buildTest(rule: Rule, { series, minute, labels, summary }: Case, state: keyof Series) {
  const { description } = rule.annotations
  const expected = {
    exp_labels: { instance: INSTANCE, ...labels, ...rule.labels },
    exp_annotations: { summary, description },
  }
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({
      series: toSelector(name),
      values: values[state],
    })),
    alert_rule_test: [
      {
        alertname: rule.alert,
        eval_time: `${minute}m`,
        exp_alerts: state === 'bad' ? [expected] : [],
      },
    ],
  }
}

describe('the alerts of docs/operate', () => {
  test('are all tested', () => {
    expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(cases).sort())
  })

  test.each(rules)('$alert fires when it should, says why, and is silent otherwise', rule => {
    const file = join(folder.path, `${rule.alert}.yml`)
    const its = cases[rule.alert]!
    const tests = [buildTest(rule, its, 'bad'), buildTest(rule, its, 'well')]
    writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    })
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })
})
