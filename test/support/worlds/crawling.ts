import { SECOND } from '../../../pipeline/core/clock.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import type { CrawlTarget, Observation } from '../../../pipeline/model/observation.ts'
import { loadDueTargets } from '../../../pipeline/writer/crawl/due-files.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'
import type { TestRegistry } from '../registry/app.ts'

/** Files of a small internet by `kind location`, an ads.txt as `text`; everything else is absent. */
export type Web = Record<
  string,
  object | Outcome | [Outcome, Partial<Observation>] | { text: string }
>

/** Builds the observations of a crawler that was handed these files. */
export function observeTargets(
  targets: readonly CrawlTarget[],
  web: Web,
  at: number,
): Observation[] {
  return targets.map(target => {
    const { kind, location, after_seq } = target
    const found = web[`${kind} ${location}`] ?? 'absent'
    const began = after_seq === undefined ? {} : { after_seq }
    if (typeof found === 'string') return observeOutcome(found, kind, location, at, began)
    if (Array.isArray(found))
      return observeOutcome(found[0], kind, location, at, { ...found[1], ...began })
    const content = kind === 'ads.txt' && 'text' in found ? String(found.text) : found
    return { ...observeFile(kind, location, content, at), ...began }
  })
}

/** Lists the files that are due. Agents are left out: this internet has none. */
export async function listDueFiles({ sequencer, clock }: TestRegistry): Promise<CrawlTarget[]> {
  const targets = await sequencer.quietly(() => loadDueTargets(sequencer.index, clock.now(), 1_000))
  return targets.filter(({ kind }) => kind !== 'agent')
}

/** Fetches what is due, commits it, and returns which files that were. A second passes. */
export async function crawlDue(registry: TestRegistry, web: Web): Promise<string[]> {
  const targets = await listDueFiles(registry)
  registry.clock.tick(SECOND)
  const observations = observeTargets(targets, web, registry.clock.now())
  if (observations.length > 0) await registry.sequencer.commit({ observations, submissions: [] })
  await registry.reader.refresh()
  return targets.map(({ kind, location }) => `${kind} ${location}`)
}
