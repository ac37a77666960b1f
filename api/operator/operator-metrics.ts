import type { Gauge } from 'prom-client'
import type { RedisStatus } from '../../jobs/api-client/redis-status.ts'
import type { ProcessReport } from '../../jobs/metrics/messages.ts'
import type { MeasuredValues, RoleMetrics } from '../../jobs/metrics/role-metrics.ts'
import type { Build } from '../../pipeline/core/version.ts'

/** Sources of what a process measures of the whole registry; what is left out it does not show. */
interface OperatorGauges {
  build: Build
  readFreeDisk?: (() => number) | undefined
  readRedis?: (() => Promise<RedisStatus | undefined>) | undefined
}

/** Measures what the roles cannot report themselves: whether each of them answers, and the state of Redis. */
export class OperatorMetrics {
  readonly #role: RoleMetrics
  readonly #up: Gauge
  readonly #restarts
  readonly #readRedis: (() => Promise<RedisStatus | undefined>) | undefined

  constructor(role: RoleMetrics, { build, readFreeDisk, readRedis }: OperatorGauges) {
    this.#role = role
    role.getGauge('registry_build_info').labels(build.version, build.commit).set(1)
    if (readFreeDisk) role.watch('registry_disk_free_bytes', readFreeDisk)
    this.#up = role.getGauge('registry_role_up')
    this.#restarts = role.getCounter('registry_role_restarts_total')
    this.#readRedis = readRedis
  }

  /** Reads the metrics of this process, with those derived from the reports of the others. */
  async read(reports: readonly ProcessReport[]): Promise<MeasuredValues> {
    this.#setRoles(reports)
    if (this.#readRedis) this.#setRedis(await this.#readRedis())
    return this.#role.read()
  }

  #setRoles(reports: readonly ProcessReport[]): void {
    this.#up.reset()
    this.#restarts.reset()
    const roles = new Map<string, boolean>()
    for (const { role, values, restarts } of reports) {
      roles.set(role, (roles.get(role) ?? true) && values !== undefined)
      this.#restarts.labels(role).inc(restarts)
    }
    for (const [role, isUp] of roles) this.#up.labels(role).set(isUp ? 1 : 0)
  }

  #setRedis(status: RedisStatus | undefined): void {
    const jobs = this.#role.getGauge('registry_queue_jobs')
    const workers = this.#role.getGauge('registry_queue_workers')
    const memory = this.#role.getGauge('registry_redis_memory_bytes')
    this.#role.getGauge('registry_redis_up').set(status ? 1 : 0)
    for (const gauge of [jobs, workers, memory]) gauge.reset()
    if (status !== undefined) memory.set(status.info.usedBytes)
    for (const queue of status?.queues ?? []) {
      for (const state of ['waiting', 'active', 'failed'] as const) {
        jobs.labels(queue.name, state).set(queue[state])
      }
      if (queue.workers !== null) workers.labels(queue.name).set(queue.workers)
    }
  }
}
