import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startReplicaPublishing } from '../../../jobs/indexer/replica-publishing-loop.ts'
import { DAY } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { MANIFEST, PublishedManifest } from '../../../pipeline/replica/manifest.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { serveParent } from './child.ts'
import { filledAt } from './commit-fill.ts'
import { buildFiles, buildObservations } from './night.ts'

/** Address of the manifest that replicas follow, and the commit that it has. */
export interface OriginReady {
  url: string
  seq: number
}

/** The last commit of a night, and when it was done. */
export interface NightEnd {
  seq: number
  committedAt: number
}

/**
 * Runs the shipped sequencer over a filled index, publishes it for replicas as the indexer does, and serves the
 * published folder on loopback as a static server would, with ranges and ETags. Each question commits a night in
 * which nothing changed.
 */
const [, , folder = '', published = '', sources] = process.argv
const files = buildFiles(Number(sources))
let night = 1
const clock = { now: () => filledAt + night * DAY }
const config = readConfig({
  DATA_DIR: folder,
  PUBLISH_TO: published,
  FRONTIER_MAX: String(files.world.domains.length),
})
const opened = await Sequencer.open({ config, clock, log: silentLog })
if (!opened) throw new Error(`another process is writing to ${folder}`)
const sequencer = opened
await sequencer.publish()
await sequencer.searchable()
startReplicaPublishing(sequencer, config, clock, silentLog)
await waitUntilPublished()
const server = createServer(sendFile)
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const ready: OriginReady = { url: `http://127.0.0.1:${port}/${MANIFEST}`, seq: sequencer.seq }
serveParent<object, NightEnd>(ready, commitQuietNight)

async function waitUntilPublished(): Promise<void> {
  const file = join(published, MANIFEST)
  for (;;) {
    if (existsSync(file)) {
      const manifest = PublishedManifest.parse(JSON.parse(readFileSync(file, 'utf8')))
      if (manifest.seq === sequencer.seq && manifest.snapshot && manifest.search) return
    }
    await setTimeout(50)
  }
}

async function commitQuietNight(): Promise<NightEnd> {
  night++
  const plan = { night: 1, observedAt: clock.now(), isAgain: true }
  for (let at = 0; at < files.all; at += limits.bulkCommitObservations) {
    const end = Math.min(files.all, at + limits.bulkCommitObservations)
    const observations = buildObservations(files, plan, at, end)
    await sequencer.commit({ observations, submissions: [] })
  }
  return { seq: sequencer.seq, committedAt: Date.now() }
}

function sendFile({ url = '/', headers }: IncomingMessage, answer: ServerResponse): void {
  const file = join(published, url)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) {
    answer.writeHead(404).end()
    return
  }
  const etag = `"${stat.ino}-${stat.mtimeMs}"`
  if (headers['if-none-match'] === etag) {
    answer.writeHead(304, { etag }).end()
    return
  }
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const range = {
    start: Number(first ?? 0),
    end: Math.min(Number(last ?? stat.size), stat.size - 1),
  }
  answer.writeHead(first === undefined ? 200 : 206, {
    etag,
    'content-length': range.end - range.start + 1,
    ...(first !== undefined && {
      'content-range': `bytes ${range.start}-${range.end}/${stat.size}`,
    }),
  })
  createReadStream(file, range).pipe(answer)
}
