import { type Clock, type Instant, SECOND } from '../../pipeline/core/clock.ts'
import type { Config } from '../../pipeline/core/config.ts'
import type { Log } from '../../pipeline/core/log.ts'
import { requireValue } from '../../pipeline/core/present.ts'
import { isBucketAddress, resolvePublishFolder } from '../../pipeline/core/publish-target.ts'
import type { UploadStatus } from '../../pipeline/maintenance/inspect/index-status.ts'
import { openBucket } from '../../pipeline/replica/bucket.ts'
import { Uploader } from '../../pipeline/replica/uploader.ts'
import type { Paths } from '../../pipeline/store/paths.ts'
import { getMessage } from '../api-client/writer-client.ts'
import type { IndexerMetrics } from '../metrics/indexer-metrics.ts'
import { type Loop, repeatEvery } from './loops.ts'

const UPLOAD_EVERY_MS = SECOND / 2
/** Longest pause after attempts that failed. */
const PAUSE_MAX_MS = 30 * SECOND

/** Uploads until it is stopped, and reports its progress. */
interface UploadLoop extends Loop {
  report(): UploadStatus
}

/**
 * Copies what is published to the bucket that is set, beside everything else: commits and publishing never wait
 * for it. A failure is logged and repeated after a pause that grows. Undefined where no bucket is set. Nothing is
 * uploaded while `ensureMayWrite` rejects.
 */
export function startUploading(
  { PUBLISH_TO: target, DATA_DIR: dataDir }: Config,
  paths: Paths,
  clock: Clock,
  log: Log,
  metrics: IndexerMetrics,
  ensureMayWrite: () => Promise<void> = () => Promise.resolve(),
): UploadLoop | undefined {
  if (!isBucketAddress(target)) return undefined
  const closing = new AbortController()
  const bucket = openBucket(target, closing.signal)
  const folder = requireValue(resolvePublishFolder(target, dataDir), 'folder to publish to')
  const uploader = new Uploader(folder, paths, bucket, clock)
  let failures = 0
  let completeAt: Instant = clock.now()
  let problem: string | undefined
  metrics.watchUploads(() => (clock.now() - completeAt) / SECOND)
  const upload = async () => {
    const began = clock.now()
    try {
      await ensureMayWrite()
      await uploader.upload()
      if (failures > 0) log.info({ bucket: target }, 'uploaded again')
      failures = 0
      problem = undefined
      completeAt = began
    } catch (error) {
      failures++
      problem = getMessage(error)
      if (!closing.signal.aborted) log.error({ bucket: target, error: problem }, 'not uploaded')
    }
  }
  const pause = () => Math.min(UPLOAD_EVERY_MS * 2 ** Math.min(failures, 10), PAUSE_MAX_MS)
  const loop = repeatEvery(pause, log, upload)
  return {
    stop() {
      loop.stop()
      closing.abort()
    },
    ended: loop.ended,
    report: () => ({
      bucket: target,
      behind_ms: clock.now() - completeAt,
      ...(problem !== undefined && { problem }),
    }),
  }
}
