import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type AppDeps, buildApp } from '../../../api/app.ts'
import type { WriterClient } from '../../../jobs/api-client/writer-client.ts'
import { RoleMetrics } from '../../../jobs/metrics/role-metrics.ts'
import type { Clock } from '../../../pipeline/core/clock.ts'
import { type Config, readConfig } from '../../../pipeline/core/config.ts'
import { refuse } from '../../../pipeline/core/errors.ts'
import { type Log, silentLog } from '../../../pipeline/core/log.ts'
import type { KeyPermission } from '../../../pipeline/core/roles.ts'
import { rebuild } from '../../../pipeline/maintenance/rebuild.ts'
import { verify } from '../../../pipeline/maintenance/verify-stores.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import {
  type Answer,
  type Operation,
  readSubmission,
  type Submission,
} from '../../../pipeline/model/submission.ts'
import { Reader } from '../../../pipeline/read/reader.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { watchAnswers } from '../checks/described-answers.ts'
import { startRedis } from '../processes/redis.ts'
import { type TestClock, testClock } from '../worlds/clock.ts'
import { writeEmptyStores } from './empty-stores.ts'
import { buildGenerousLimits } from './generous-limits.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface RequestParts extends Pick<InjectOptions, 'headers' | 'remoteAddress'> {
  key?: string | undefined
  payload?: InjectOptions['payload'] | undefined
}

/** A registry in a temporary folder: a real index with its writer, and the API over it. */
export interface TestRegistry {
  app: FastifyInstance
  metrics: RoleMetrics
  clock: TestClock
  config: Config
  reader: Reader
  sequencer: Sequencer
  /** Operations that the API submitted. */
  submitted: Operation[]
  /** Refusals of what the API submitted and the writer could not have read. */
  unreadable: string[]
  /** Sends a request to the API; `key` is the secret of an API key, or another credential. */
  send(method: Method, url: string, request?: RequestParts): Promise<LightMyRequestResponse>
  observe(...observations: ObservationDraft[]): Promise<void>
  submit(...operations: Operation[]): Promise<Answer[]>
  /** Creates an organization with a key, and returns the secret of the key. */
  createKey(organization: string, permissions?: KeyPermission[]): Promise<string>
  publish(): Promise<void>
  /** Returns the contradictions between the stores as of one commit: collected demand is submitted later. */
  verify(): Promise<string[]>
  /** Ends the writer and opens another one, as a new process would. */
  restart(): Promise<void>
  /** Restarts, and rebuilds the serving store and the event files from the index in between. */
  rebuild(): Promise<void>
  /**
   * Closes everything; throws if an answer differed from the OpenAPI description or had fields that it
   * does not name.
   */
  close(): Promise<void>
}

export type ObservationDraft = Pick<Observation, 'kind' | 'location'> & Partial<Observation>

export interface RegistryOptions {
  limits?: Record<string, number>
  redis?: NonNullable<AppDeps['redis']>
  /** It has a Redis of its own, which ends with it. */
  ownRedis?: boolean
  writer?: Partial<WriterClient>
  log?: Log
  printNotice?: (text: string) => void
  settings?: Record<string, string>
  without?: NonNullable<AppDeps['without']>
}

function refuseLive(): never {
  return refuse('unavailable', 'no crawler runs beside this test')
}

/** Answers live requests as a crawler that finds every host name public and does nothing else. */
export const answerAllPublic = (async ({ kind }) =>
  kind === 'lookup_host' ? { host: 'public' } : refuseLive()) as WriterClient['requestLive']

export async function openRegistry(options: RegistryOptions = {}): Promise<TestRegistry> {
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-api-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    BASE_URL: 'https://registry.example',
    // Whoever reads the log wants every line of it.
    ...(options.log && { LOG_LEVEL: 'debug' }),
    ...buildGenerousLimits(options.limits),
    ...options.settings,
  })
  const clock = testClock()
  const log = options.log ?? silentLog
  await writeEmptyStores(dataDir)
  let sequencer = (await Sequencer.open({ config, clock, log: silentLog }))!
  const reader = new Reader(dataDir, clock, config.LIMITS.snapshotQueries)
  await reader.refresh()
  const submitted: Operation[] = []
  const unreadable: string[] = []
  const commit = async (
    observations: Observation[],
    operations: Operation[],
    given?: Partial<Omit<Submission, 'operation'>>,
  ) => {
    const submissions = operations.map(operation => ({
      submission_id: randomUUID(),
      ...given,
      operation,
    }))
    const { answers } = await sequencer.commit({ observations, submissions })
    await reader.refresh()
    return submissions.map(({ submission_id }) => answers.get(submission_id)!)
  }
  const writer = {
    submit: async (operation: Operation, given?: Partial<Omit<Submission, 'operation'>>) => {
      submitted.push(operation)
      // A sender checks what it sends, so that the writer can read it.
      const read = readSubmission(
        JSON.stringify({ submission_id: randomUUID(), ...given, operation }),
      )
      if ('refusal' in read) {
        unreadable.push(`${operation.op} ${read.refusal.refused}`)
        return read.refusal
      }
      return (await commit([], [operation], given))[0]!
    },
    requestLive: refuseLive,
    runStoryboard: refuseLive,
    findStoryboardJob: refuseLive,
    cancelStoryboardJob: refuseLive,
    ...options.writer,
  }
  const { printNotice, without } = options
  const ownRedis = options.ownRedis ? await startRedis() : undefined
  const redis = ownRedis?.redis ?? options.redis
  const metrics = new RoleMetrics('api')
  const app = buildApp({
    config,
    reader,
    clock,
    log,
    writer,
    metrics,
    ...(redis && { redis }),
    ...(printNotice && { printNotice }),
    ...(without && { without }),
  })
  const answers = watchAnswers(app)
  return {
    app,
    metrics,
    clock,
    config,
    reader,
    get sequencer() {
      return sequencer
    },
    submitted,
    unreadable,
    send: (method, url, { key, headers, payload, ...more } = {}) =>
      app.inject({
        method,
        url,
        headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
        ...(payload !== undefined && { payload }),
        ...more,
      }),
    async observe(...seen) {
      const observations = seen.map(draft => buildObservation(draft, clock))
      await commit(observations, [])
    },
    submit: (...operations) => commit([], operations),
    async createKey(organization, permissions = []) {
      const secret = `sk_${randomUUID()}`
      const hash = createHash('sha256').update(secret).digest('hex')
      const name = organization
      await commit(
        [],
        [
          { op: 'organization.create', org_id: randomUUID(), name },
          { op: 'key.create', key_id: randomUUID(), org: name, label: '', hash, permissions },
        ],
      )
      return secret
    },
    async publish() {
      await sequencer.publish()
      await sequencer.treeLog.update()
      await sequencer.searchable()
      await reader.refresh()
    },
    verify: () => sequencer.quietly(() => verify(sequencer)),
    async restart() {
      await sequencer.close()
      sequencer = (await Sequencer.open({ config, clock, log: silentLog }))!
    },
    async rebuild() {
      await sequencer.close()
      await rebuild(dataDir)
      sequencer = (await Sequencer.open({ config, clock, log: silentLog }))!
      await reader.refresh()
    },
    async close() {
      await app.close()
      await reader.close()
      await sequencer.close()
      await ownRedis?.close()
      rmSync(dataDir, { recursive: true, force: true })
      answers.check()
    },
  }
}

/** Opens a second API over the same stores, as another process has it; it can neither write nor crawl. */
export async function openAnotherApi({ config, clock }: Pick<TestRegistry, 'config' | 'clock'>) {
  const reader = new Reader(config.DATA_DIR, clock)
  await reader.refresh()
  const writer = {
    submit: refuseLive,
    requestLive: refuseLive,
    runStoryboard: refuseLive,
    findStoryboardJob: refuseLive,
    cancelStoryboardJob: refuseLive,
  }
  const app = buildApp({ config, reader, clock, log: silentLog, writer })
  return {
    app,
    reader,
    async close() {
      await app.close()
      await reader.close()
    },
  }
}

/** Completes an observation; the default is a file that was read successfully. */
/** Builds an observation of now: a file that was read unless the draft says otherwise. */
export function buildObservation(seen: ObservationDraft, clock: Clock): Observation {
  const hash = createHash('sha256').update(JSON.stringify(seen)).digest('hex')
  const read = seen.document === undefined ? {} : { status: 200, hash }
  return { observed_at: clock.now(), outcome: 'ok', ...read, ...seen }
}
