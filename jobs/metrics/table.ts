interface MetricEntry {
  type: 'counter' | 'gauge' | 'histogram'
  /** Role whose processes measure it; `operator` is what serves the operator's port. */
  role: 'api' | 'crawler' | 'indexer' | 'push' | 'agent' | 'operator'
  means: string
  /** Labels with their values; each has few, and none is text from callers or files. */
  labels?: Record<string, string>
  /** Combines the values of several processes of a role; `sum` by default. */
  combine?: 'sum' | 'min' | 'max'
  /** Upper bounds of a histogram's buckets, in its unit. */
  buckets?: readonly number[]
}

/** From half a millisecond to ten seconds: answers, commits. */
const SHORT_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** From a millisecond to a minute: what waits for other machines or for a disk. */
const LONG_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60]

/** Every metric of the registry. Node's own (`process_…`, `nodejs_…`) come on top, with the label `role`. */
export const metricTable = {
  registry_build_info: {
    type: 'gauge',
    role: 'operator',
    means: '1, with the version that runs',
    labels: {
      version: 'version, as in the changelog',
      commit: 'commit that was built, with `-modified` if its files had been edited',
    },
    combine: 'max',
  },
  registry_disk_free_bytes: {
    type: 'gauge',
    role: 'operator',
    means: 'free space on the disk of DATA_DIR, even while the indexer is down',
    combine: 'min',
  },
  registry_role_up: {
    type: 'gauge',
    role: 'operator',
    means:
      'whether every process of a role answered the scrape: 1, or 0 while one is frozen or down',
    labels: { role: 'name of the role' },
    combine: 'min',
  },
  registry_role_restarts_total: {
    type: 'counter',
    role: 'operator',
    means: 'processes that ended and were started again',
    labels: { role: 'name of the role' },
  },
  registry_redis_up: {
    type: 'gauge',
    role: 'operator',
    means: 'whether Redis responds: 1 or 0',
    combine: 'min',
  },
  registry_redis_memory_bytes: {
    type: 'gauge',
    role: 'operator',
    means: 'memory that Redis uses',
    combine: 'max',
  },
  registry_queue_jobs: {
    type: 'gauge',
    role: 'operator',
    means: 'jobs of a queue; those that failed for good are counted for a day, a hundred at most',
    labels: {
      queue: 'name of the queue ([Outcomes and queues](crawling.md))',
      state: '`waiting`, `active` or `failed`',
    },
    combine: 'max',
  },
  registry_queue_workers: {
    type: 'gauge',
    role: 'operator',
    means: 'processes that take jobs of a queue',
    labels: { queue: 'name of the queue' },
    combine: 'max',
  },
  registry_requests_total: {
    type: 'counter',
    role: 'api',
    means: 'responses by operation and status',
    labels: { operation: 'id of the operation, or `unknown`', status: 'HTTP status' },
  },
  registry_request_seconds: {
    type: 'histogram',
    role: 'api',
    means: 'response time by operation',
    labels: { operation: 'id of the operation' },
    buckets: SHORT_S,
  },
  registry_seq: {
    type: 'gauge',
    role: 'api',
    means: 'last commit in lookups by key',
    combine: 'min',
  },
  registry_snapshot_seq: {
    type: 'gauge',
    role: 'api',
    means: 'last commit in lists',
    combine: 'min',
  },
  registry_snapshot_timestamp_seconds: {
    type: 'gauge',
    role: 'api',
    means: 'when the snapshot that lists show was made, in Unix time; 0 before the first',
    combine: 'min',
  },
  registry_snapshot_behind_seconds: {
    type: 'gauge',
    role: 'api',
    means: 'for how long commits have been missing from lists; 0 while lists show all of them',
    combine: 'max',
  },
  registry_replica_lag_seconds: {
    type: 'gauge',
    role: 'api',
    means:
      'time since a replica had everything that its registry publishes, or since its API started if it never had; only on replicas',
    combine: 'max',
  },
  registry_log_stopped: {
    type: 'gauge',
    role: 'indexer',
    means:
      'whether the tamper-evident log cannot be continued: 1 or 0; also 0 while new events wait for `BACKUP_TO`',
    combine: 'max',
  },
  registry_held_publishers: {
    type: 'gauge',
    role: 'api',
    means: 'publishers with held-back removals',
    combine: 'max',
  },
  registry_unreadable_credentials: {
    type: 'gauge',
    role: 'api',
    means: 'stored credentials of agents that `CREDENTIALS_KEY` does not decrypt',
    combine: 'max',
  },
  registry_feed_streams: {
    type: 'gauge',
    role: 'api',
    means: 'open streams of the feed, and requests that wait for it',
  },
  registry_page_streams: {
    type: 'gauge',
    role: 'api',
    means: 'open pages that are notified of commits',
  },
  registry_connections: { type: 'gauge', role: 'api', means: 'open connections' },
  registry_files_crawled_total: {
    type: 'counter',
    role: 'crawler',
    means: 'attempts to read a file or an agent',
    labels: {
      kind: '`brand.json`, `adagents.json`, `ads.txt` or `agent`',
      outcome: 'outcome ([Outcomes and queues](crawling.md))',
    },
  },
  registry_fetch_seconds: {
    type: 'histogram',
    role: 'crawler',
    means: 'time of an HTTP exchange, from connecting to the last byte, without queueing',
    labels: { result: '`answered` or `broken`' },
    buckets: LONG_S,
  },
  registry_name_lookup_seconds: {
    type: 'histogram',
    role: 'crawler',
    means: 'time to find the addresses of a name that is not cached',
    labels: { result: '`found`, `refused` (an address is not public) or `failed`' },
    buckets: LONG_S,
  },
  registry_requests_refused_total: {
    type: 'counter',
    role: 'crawler',
    means: 'outbound requests that the SSRF guard blocked',
    labels: {
      reason:
        '`scheme`, `credentials`, `port`, `name`, `not_public` (the host as written), `resolved` (what it resolves to) or `invalid`',
    },
  },
  registry_limits_hit_total: {
    type: 'counter',
    role: 'crawler',
    means: 'times that a limit delayed or rejected something; the API counts its own too',
    labels: {
      limit:
        'outbound: `site`, `address`, `caller`, `callers` (requests a minute), `body` (size of a file); API: `requests`, `request_body`, `connections`',
    },
  },
  registry_live_requests_total: {
    type: 'counter',
    role: 'crawler',
    means: 'live requests on behalf of the API',
    labels: { request: 'kind of the request', result: '`done` or `failed`' },
  },
  registry_commit_seconds: {
    type: 'histogram',
    role: 'indexer',
    means: 'time of a commit until readers see it',
    labels: { kind: '`bulk` (observations), `submissions` or `time` (nothing but time)' },
    buckets: SHORT_S,
  },
  registry_commit_step_seconds: {
    type: 'histogram',
    role: 'indexer',
    means: 'time of one step of a commit or of publishing',
    labels: {
      step: '`index`, `serving`, `events`, `snapshot` or `checkpoint`, or `accounts`, which carries submissions out before `index`',
    },
    buckets: SHORT_S,
  },
  registry_observations_total: {
    type: 'counter',
    role: 'indexer',
    means: 'observations that were committed',
  },
  registry_submissions_total: {
    type: 'counter',
    role: 'indexer',
    means: 'submissions that were committed',
  },
  registry_events_total: {
    type: 'counter',
    role: 'indexer',
    means: 'events that commits added to the feed',
  },
  registry_quarantined_total: {
    type: 'counter',
    role: 'indexer',
    means: 'observations that could not be applied and were set aside',
  },
  registry_last_commit_timestamp_seconds: {
    type: 'gauge',
    role: 'indexer',
    means:
      'when the last commit was made, in Unix time; 0 before the first. Seconds since it: `time() - registry_last_commit_timestamp_seconds`',
    combine: 'max',
  },
  registry_publish_seconds: {
    type: 'histogram',
    role: 'indexer',
    means: 'time to bring the columnar index up to date and to copy it',
    buckets: LONG_S,
  },
  registry_upload_behind_seconds: {
    type: 'gauge',
    role: 'indexer',
    means:
      'time since the bucket of `PUBLISH_TO` had everything that is published; only if one is set',
    combine: 'max',
  },
  registry_backup_behind_seconds: {
    type: 'gauge',
    role: 'indexer',
    means:
      'for how long the newest backup in `BACKUP_TO` has lacked commits; 0 while it has all of them; only if it is set',
    combine: 'max',
  },
  registry_backup_overdue: {
    type: 'gauge',
    role: 'indexer',
    means:
      '1 while backups fail and the newest lacks commits for longer than two intervals of `BACKUP_EVERY`, or none has been made since the start; also 1 while one hangs; only if `BACKUP_TO` is set',
    combine: 'max',
  },
  registry_writer_busy_seconds: {
    type: 'gauge',
    role: 'indexer',
    means: 'time for which the writer has been doing the same thing; 0 while it waits for work',
    combine: 'max',
  },
  registry_crawl_in_flight_files: {
    type: 'gauge',
    role: 'indexer',
    means: 'files that were handed out and are not committed yet',
  },
  registry_files: {
    type: 'gauge',
    role: 'indexer',
    means: 'files and agents that the registry crawls',
  },
  registry_due_files: {
    type: 'gauge',
    role: 'indexer',
    means:
      'files that are due, as of the last check (every 15 seconds, less often in a large index)',
  },
  registry_due_age_seconds: {
    type: 'gauge',
    role: 'indexer',
    means: 'time for which the first of them has been due; 0 if none is',
    combine: 'max',
  },
  registry_rows: {
    type: 'gauge',
    role: 'indexer',
    means: 'what the index holds: properties that are not removed, authorizations in force',
    labels: { of: '`brands`, `publishers`, `properties`, `authorizations` or `agents`' },
  },
  registry_store_bytes: {
    type: 'gauge',
    role: 'indexer',
    means: 'size of a store on disk',
    labels: { store: '`record`, `columnar`, `serving` or `snapshot`' },
  },
  registry_deliveries_total: {
    type: 'counter',
    role: 'push',
    means: 'attempts to deliver changes to a subscriber',
    labels: { result: '`taken`, `failed`, `gone` or `deferred`' },
  },
  registry_delivery_seconds: {
    type: 'histogram',
    role: 'push',
    means: 'time until a subscriber answered',
    buckets: LONG_S,
  },
  registry_push_active: {
    type: 'gauge',
    role: 'push',
    means: 'whether this process delivers: 1, or 0 while it stands by',
  },
  registry_agent_calls_total: {
    type: 'counter',
    role: 'agent',
    means: 'tasks of the reference agent',
    labels: { tenant: 'tenant', task: 'name of the task', code: 'error code, or `ok`' },
  },
  registry_agent_call_seconds: {
    type: 'histogram',
    role: 'agent',
    means: 'duration of a task of the reference agent',
    labels: { tenant: 'tenant', task: 'name of the task' },
    buckets: SHORT_S,
  },
} as const satisfies Record<string, MetricEntry>

export type MetricName = keyof typeof metricTable
export type MetricNameOf<Type extends MetricEntry['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** Returns the entry of a metric with every field that an entry may have. */
export function findMetric(name: MetricName): MetricEntry {
  return metricTable[name]
}
