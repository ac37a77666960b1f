import type { Domain } from '../../../pipeline/core/domain.ts'
import type { Outcome } from '../../../pipeline/core/outcomes.ts'
import type { Observation } from '../../../pipeline/model/observation.ts'
import type { BrakeLimits } from '../../../pipeline/resolve/brake.ts'
import { type HeldRow, loadHeldRows } from '../../../pipeline/writer/crawl/held-publishers.ts'
import { observeFile, observeOutcome } from '../fixtures/observations.ts'
import { type MemoryIndex, openMemoryIndex } from '../registry/memory-index.ts'
import { cleanUp } from '../registry/registry.ts'
import { type TestClock, testClock } from './clock.ts'
import { buildShop } from './nights.ts'

/** The default limits of the brake. */
export const brakeLimits: BrakeLimits = { share: 0.02, factor: 5, rows: 200, publishers: 20 }

/** Lists domains of publishers with one grant and one property each, which is two rows a publisher. */
export function listDomains(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `p${from + i}.example`)
}

/** Builds the observations of a crawl of the domains: of a file, or of how the attempts ended. */
export function observeAll(
  domains: readonly string[],
  found: Outcome | ((domain: string) => object),
  clock: TestClock,
): Observation[] {
  return domains.map(domain =>
    typeof found === 'string'
      ? observeOutcome(found, 'adagents.json', domain, clock.now())
      : observeFile('adagents.json', domain, found(domain), clock.now()),
  )
}

export interface PublisherWeb {
  index: MemoryIndex
  clock: TestClock
  /** Commits a crawl and tells how many events of each type follow. */
  crawl(
    domains: readonly string[],
    found: Outcome | ((domain: string) => object),
  ): Promise<Record<string, number>>
  held(): Promise<HeldRow[]>
}

/** Opens an index with many valid publishers. */
export async function openPublisherWeb(
  count: number,
  brake: BrakeLimits = brakeLimits,
): Promise<PublisherWeb> {
  const clock = testClock('2026-11-20T04:00Z')
  const index = await openMemoryIndex(clock, { brake })
  cleanUp(() => index.close())
  await index.commit(observeAll(listDomains(count), buildShop, clock))
  clock.tick({ days: 1 })
  return {
    index,
    clock,
    async crawl(domains, found) {
      return countTypes(await index.commit(observeAll(domains, found, clock)))
    },
    held: () => loadHeldRows(index.db),
  }
}

export function countTypes(events: readonly { event_type: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { event_type } of events) counts[event_type] = (counts[event_type] ?? 0) + 1
  return counts
}

export const toDomains = (domains: readonly string[]) => domains as Domain[]
