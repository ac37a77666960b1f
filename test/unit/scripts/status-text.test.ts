import { describe, expect, test } from 'vitest'
import {
  describeStatus,
  findProblems,
  type RegistryStatus,
} from '../../../scripts/commands/status-text.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
type Facts = Omit<RegistryStatus, 'problems'>

const queue = { name: 'crawl', waiting: 0, active: 1, failed: 0, workers: 1 } as const
const healthy: Facts & { index: NonNullable<Facts['index']> } = {
  data_dir: '/data',
  is_demo: false,
  running: {
    base_url: 'http://127.0.0.1:3000',
    since: '2026-11-20T03:00:00.000Z',
    pid: 7,
    indexer_pid: 8,
    version: '1.2.3',
  },
  has_start: true,
  is_starting: false,
  source: 'indexer',
  index: {
    seq: 10,
    committed_at: '2026-11-20T11:59:00.000Z',
    brands: 1,
    publishers: 2,
    properties: 3,
    authorizations: 4,
    agents: 5,
    files: 6,
    due: 0,
    due_since: null,
    next_due_at: '2026-11-21T03:00:00.000Z',
    last_attempt_at: '2026-11-20T11:59:00.000Z',
    day: [{ effect: 'success', files: 6 }],
    night: null,
    held: 0,
    quarantined: 0,
  },
  snapshot: { seq: 10, made_at: '2026-11-20T11:59:00.000Z' },
  has_push: true,
  queues: [queue],
  redis_problems: [],
  supervisor_problems: [],
  notes: [],
  stores: [{ name: 'index', bytes: 1_500_000 }],
  disk_free: 5e9,
  missing: [],
}

const failing = {
  bucket: 's3://bucket/private',
  made_at: '2026-11-20T09:58:00.000Z',
  behind_ms: 7_300_000,
  is_overdue: true,
  problem: 'access denied',
}

const { problem: _, ...hanging } = failing

describe('the status of a registry', () => {
  test('names once why backups fail and new events wait to be logged', () => {
    const index = { ...healthy.index, backup: failing, log_waits_for: failing.problem }
    expect(findProblems({ ...healthy, index }, NOW)).toEqual([
      expect.stringMatching(/^s3:.+: access denied; fix this/),
      'new events wait to be logged until BACKUP_TO can be written',
    ])
  })

  test('names no problem where nothing is wrong', () => {
    expect(findProblems(healthy, NOW)).toEqual([])
    const lines = describeStatus({ ...healthy, problems: [] }, NOW)
    expect(lines.at(-1)).toBe('no problems found')
    expect(lines.join('\n')).toContain('index 1.5 MB, free 5 GB')
    expect(lines[0]).toMatch(/^registry .* \(version 1\.2\.3, process \d+\)$/)
  })

  test('says in its first line that it is the demo', () => {
    const lines = describeStatus({ ...healthy, is_demo: true, problems: [] }, NOW)
    expect(lines[0]).toMatch(/^demo {7}http/)
  })

  test('prints notes last, which are no problems', () => {
    const noted = { ...healthy, notes: ['nobody can sign in'] }
    expect(findProblems(noted, NOW)).toEqual([])
    const lines = describeStatus({ ...noted, problems: [] }, NOW)
    expect(lines.slice(-2)).toEqual(['no problems found', 'note: nobody can sign in'])
  })

  test('says that nothing has been committed yet, also where a record exists', () => {
    const index = { ...healthy.index, seq: 0, committed_at: null }
    const lines = describeStatus({ ...healthy, index, problems: [] }, NOW)
    expect(lines).toContain('index      nothing has been committed yet')
  })

  test.each([
    ['none: BACKUP_TO is not set', undefined],
    ['none since this start, to s3://bucket/private', { ...failing, made_at: null }],
    ['2 h ago, in s3://bucket/private', failing],
  ])('says of the last backup: %s', (text, backup) => {
    const index = backup ? { ...healthy.index, backup } : healthy.index
    const lines = describeStatus({ ...healthy, index, problems: [] }, NOW)
    expect(lines).toContain(`backup     ${text}`)
    const unasked = { ...healthy, source: 'record' as const, problems: [] }
    expect(describeStatus(unasked, NOW).join()).not.toContain('backup')
  })

  test('tells a start whose indexer ended, as on a full disk, from one that has ended', () => {
    const ended = { ...healthy, running: null, source: null, queues: null, disk_free: 0 }
    const full = 'the disk of /data is full: reads go on, and writes resume once there is room'
    const lines = describeStatus({ ...ended, problems: [] }, NOW)
    expect(lines[0]).toBe('registry   running without its indexer')
    const why = 'the indexer is not running: the log of `start` says why'
    expect(findProblems(ended, NOW)).toEqual([full, why])
    const reported = { ...ended, supervisor_problems: [full] }
    expect(findProblems(reported, NOW)).toEqual([full, why])
    expect(findProblems({ ...ended, has_start: false }, NOW)).toContain(
      'no registry is running here',
    )
  })

  test('does not advise to end an indexer that waits for room on the disk', () => {
    const waiting = { ...healthy, source: 'record' as const, disk_free: 0 }
    expect(findProblems(waiting, NOW)).toEqual([
      expect.stringContaining('the disk of /data is full'),
    ])
  })

  test('names a Redis that is away once, in the words of the running start', () => {
    const away = { ...healthy, queues: null, source: 'record' as const }
    expect(findProblems(away, NOW)).toEqual(['Redis does not answer'])
    const reported = ['Redis does not answer: what is stored can be read, saves are rejected']
    expect(findProblems({ ...away, supervisor_problems: reported }, NOW)).toEqual(reported)
  })

  test('does not miss a crawler that start has yet to start', () => {
    const facts = { ...healthy, is_starting: true, queues: [{ ...queue, workers: 0 }] }
    expect(findProblems(facts, NOW)).toEqual([])
    const lines = describeStatus({ ...facts, problems: [] }, NOW)
    expect(lines.at(-1)).toBe('no problems found; the crawler is starting')
  })

  test('calls the results of attempts what pages call them', () => {
    const day = [
      { effect: 'absent', files: 1_640 },
      { effect: 'success', files: 6 },
      { effect: 'garbled', files: 2 },
      { effect: 'unusable', files: 3 },
    ]
    const lines = describeStatus(
      { ...healthy, index: { ...healthy.index, day }, problems: [] },
      NOW,
    )
    expect(lines).toContain('last day   6 read, 1,640 not found, 5 invalid')
  })

  test.each<[problem: string, facts: Facts]>([
    ['no registry is running here', { ...healthy, running: null, has_start: false, queues: null }],
    ['Redis does not answer', { ...healthy, queues: null, source: 'record' }],
    [
      'the indexer does not answer: if this lasts, end it with `kill -9 8`, and `start` starts it again',
      {
        ...healthy,
        source: 'record',
        supervisor_problems: ['the indexer does not answer'],
      },
    ],
    ['BACKUP_TO lacks commits', { ...healthy, supervisor_problems: ['BACKUP_TO lacks commits'] }],
    ['no crawler is running', { ...healthy, queues: [{ ...queue, workers: 0 }] }],
    [
      '1 job of the queue crawl failed in the last 24 hours: the work is repeated when it is next due, and the log says why',
      { ...healthy, queues: [{ ...queue, failed: 1 }] },
    ],
    [
      '7 files are due, the first for 3 h',
      { ...healthy, index: { ...healthy.index, due: 7, due_since: '2026-11-20T08:30:00.000Z' } },
    ],
    [
      'no file has been crawled for 3 days',
      { ...healthy, index: { ...healthy.index, last_attempt_at: '2026-11-17T11:00:00.000Z' } },
    ],
    [
      'removals of 2 publishers are held back: `registry held list`',
      { ...healthy, index: { ...healthy.index, held: 2 } },
    ],
    [
      '1 observation could not be applied within a week',
      { ...healthy, index: { ...healthy.index, quarantined: 1 } },
    ],
    [
      'the snapshot is 4 commits behind, made 2 h ago',
      { ...healthy, snapshot: { seq: 6, made_at: '2026-11-20T09:59:00.000Z' } },
    ],
    [
      's3://bucket/data lacks what was published in the last 6 min: access denied',
      {
        ...healthy,
        index: {
          ...healthy.index,
          upload: { bucket: 's3://bucket/data', behind_ms: 400_000, problem: 'access denied' },
        },
      },
    ],
    [
      's3://bucket/private has no backup of the last 2 h: access denied; fix this, and the indexer tries again by itself',
      { ...healthy, index: { ...healthy.index, backup: failing } },
    ],
    [
      'no backup has been made in s3://bucket/private since this start: access denied; fix this, and the indexer tries again by itself',
      { ...healthy, index: { ...healthy.index, backup: { ...failing, made_at: null } } },
    ],
    [
      's3://bucket/private has no backup of the last 2 h: the one in progress hangs, so check that BACKUP_TO can be reached',
      { ...healthy, index: { ...healthy.index, backup: hanging } },
    ],
    [
      'the last backup to s3://bucket/private failed: access denied; fix this, and the indexer tries again by itself',
      { ...healthy, index: { ...healthy.index, backup: { ...failing, is_overdue: false } } },
    ],
    [
      'new events wait to be logged until BACKUP_TO can be written: access denied',
      { ...healthy, index: { ...healthy.index, log_waits_for: 'access denied' } },
    ],
    [
      '200 MB are free on the disk of DATA_DIR: free some space before saves are rejected',
      { ...healthy, disk_free: 2e8 },
    ],
    [
      'registry.duckdb is missing: the next start rebuilds it',
      { ...healthy, missing: ['registry.duckdb'] },
    ],
  ])('says: %s', (problem, facts) => {
    expect(findProblems(facts, NOW)).toEqual([problem])
    expect(describeStatus({ ...facts, problems: [problem] }, NOW).at(-1)).toBe(`! ${problem}`)
  })
})
