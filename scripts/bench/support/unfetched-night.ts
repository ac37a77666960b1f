import { randomUUID } from 'node:crypto'
import { HOUR } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import type { Domain } from '../../../pipeline/core/domain.ts'
import { limits } from '../../../pipeline/core/limits.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { hashContent } from '../../../pipeline/crawl/crawl-source.ts'
import {
  type MeasuredStore,
  measureStores,
} from '../../../pipeline/maintenance/inspect/store-sizes.ts'
import {
  type FileKind,
  isUrl,
  type Observation,
  type Source,
} from '../../../pipeline/model/observation.ts'
import { parseDocument } from '../../../pipeline/parse/parse-document.ts'
import { iterateDue } from '../../../pipeline/writer/crawl/due-files.ts'
import { Sequencer } from '../../../pipeline/writer/sequencer.ts'
import { wellKnownPaths } from '../../world/site.ts'
import { createSparseWorld } from '../../world/sparse.ts'
import { serveParent } from './child.ts'

export type UnfetchedQuestion = { night: number } | 'publish'

export interface UnfetchedAnswer {
  seconds: number
  cpuSeconds: number
  files: number
  dueSeconds: number
  longestCommitMs: number
  stores: Partial<Record<MeasuredStore, number>>
}

/** Files that are read at once, as the dispatcher does. */
const DUE_AT_ONCE = 50_000
const ADDED_AT_ONCE = 20_000
const BEGUN = Date.parse('2026-11-01T03:00:00Z')
/** Longer than a day by the jitter of due times. */
const NIGHT_MS = 27 * HOUR
const ABSENT = { outcome: 'absent', status: 404 } as const

/** Runs nights of the shipped sequencer over a sparse web, of which nothing is fetched. */
const [, program = '', folder = '', size] = process.argv
if (program.includes('unfetched-night')) {
  const world = createSparseWorld({ domains: Number(size), seed: 1, night: 1 })
  let now = BEGUN
  const config = readConfig({ DATA_DIR: folder, FRONTIER_MAX: size })
  const clock = { now: () => now }
  const sequencer = await Sequencer.open({ config, clock, log: silentLog })
  if (!sequencer) throw new Error(`another process is writing to ${folder}`)
  for (let at = 0; at < world.domains.length; at += ADDED_AT_ONCE) {
    const domains = world.domains.slice(at, at + ADDED_AT_ONCE) as Domain[]
    const operation = { op: 'domains.add', domains, again: false } as const
    const submissions = [{ submission_id: randomUUID(), operation }]
    await sequencer.commit({ observations: [], submissions })
  }
  serveParent<UnfetchedQuestion, UnfetchedAnswer>({}, async question => {
    const answer = { files: 0, dueSeconds: 0, longestCommitMs: 0 }
    const measured = await measureWork(async () => {
      if (question === 'publish') {
        await sequencer.publish()
        await sequencer.searchable()
        return
      }
      now = BEGUN + (question.night - 1) * NIGHT_MS
      await runNight(sequencer, question.night > 1, answer)
    })
    return { ...answer, ...measured, stores: measureStores(sequencer.paths) }
  })

  async function runNight(
    writer: Sequencer,
    isQuiet: boolean,
    counts: { files: number; dueSeconds: number; longestCommitMs: number },
  ): Promise<void> {
    for (;;) {
      const started = performance.now()
      const due = [...(await writer.quietly(() => iterateDue(writer.index, now, DUE_AT_ONCE)))]
      counts.dueSeconds += (performance.now() - started) / 1_000
      if (due.length === 0) return
      for (let at = 0; at < due.length; at += limits.bulkCommitObservations) {
        const batch = due.slice(at, at + limits.bulkCommitObservations)
        const observations = batch.map(source => observe(source, isQuiet))
        const began = performance.now()
        await writer.commit({ observations, submissions: [] })
        counts.longestCommitMs = Math.max(counts.longestCommitMs, performance.now() - began)
      }
      counts.files += due.length
    }
  }

  /** Makes the observation that a crawl would bring: in a quiet night files are as they were. */
  function observe({ kind, location }: Source, isQuiet: boolean): Observation {
    const common = { kind, location, observed_at: now }
    if (kind !== 'adagents.json' && kind !== 'brand.json') return { ...common, outcome: 'timeout' }
    const answer = readAnswer(kind, location)
    if (answer?.kind !== 'whole' || answer.status === 404) return { ...common, ...ABSENT }
    const { status, body } = answer
    if (status !== 200) return { ...common, outcome: 'server_error', status }
    if (isQuiet) return { ...common, outcome: 'unchanged', status: 304 }
    const options = { domain: location, maxFaults: limits.faultsPerDocument }
    const { outcome, document, faults } = parseDocument(kind, body, options)
    const read = { outcome, document, faults, hash: hashContent(body), bytes: body.length }
    return { ...common, status, ...read }
  }

  function readAnswer(kind: FileKind, location: string) {
    const url = isUrl(location) ? new URL(location) : undefined
    const path = url?.pathname ?? wellKnownPaths[kind]
    const ask = { method: 'GET', path, headers: {}, body: '' }
    return world.sites.get(url?.hostname ?? location)?.answer(ask)
  }
}

async function measureWork(
  work: () => Promise<void>,
): Promise<{ seconds: number; cpuSeconds: number }> {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(usedBefore)
  return { seconds: (performance.now() - started) / 1_000, cpuSeconds: (user + system) / 1e6 }
}
