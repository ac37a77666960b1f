import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { PUBLISHER_MAX } from '../../model/publisher-size.ts'
import { pending } from '../../resolve/derivation.ts'
import { derivePublisher, type NoPublisher, type PublisherFacts } from '../../resolve/publisher.ts'
import type { Database } from '../../store/database.ts'
import type { Files } from '../derivation-files.ts'
import { type Derived, deriveWithin } from '../derivation-runner.ts'
import {
  checkStoredGrants,
  describeTooMuch,
  type Refused,
  weighFacts,
  weighInMemory,
} from './too-broad.ts'

export type PublisherDerived = Derived<
  Domain,
  Awaited<
    ReturnType<typeof derivePublisher> extends Generator<unknown, infer Answer, never>
      ? Answer
      : never
  >
>

/** Limits on what one commit derives and applies. */
export interface DerivationLimits {
  /** Rows of publishers that it writes; no limit if undefined. */
  portionRows?: number | undefined
  /** Large files from which it derives answers; no limit if undefined. */
  largeFiles?: number
  /** Publishers that do not wait for others, nor for a commit of their own. */
  urgent?: ReadonlySet<Domain>
}

/** A publisher's answer by the rules. */
export interface Answered {
  domain: Domain
  facts: PublisherFacts | NoPublisher
}

/** Derives the answers of publishers that a commit has room for; the others are derived by a later one. */
export function derivePublishers(
  domains: readonly Domain[],
  files: Files,
  { begun, now, ...portioning }: DerivationLimits & { begun: number; now: Instant },
): Promise<{ derived: PublisherDerived[]; postponed: Domain[] }> {
  const limits = limitLargeFiles(portioning, begun)
  return deriveWithin(domains, domain => derivePublisher(domain, now), files, limits)
}

/** Weight of the answers that one commit compares; any single publisher fits in. */
const COMMIT_WEIGHT = PUBLISHER_MAX

/** Limits how many large files are in use: nothing is derived from one while other answers are loaded. */
function limitLargeFiles(
  { portionRows, largeFiles, urgent = new Set() }: DerivationLimits,
  begun: number,
) {
  const isLimited = portionRows !== undefined && largeFiles !== undefined
  return {
    count: !isLimited ? Number.POSITIVE_INFINITY : begun > 0 ? 0 : largeFiles,
    maxWeight: isLimited ? COMMIT_WEIGHT : Number.POSITIVE_INFINITY,
    urgent,
    weigh: (facts: PublisherDerived['answer']) =>
      facts === undefined || facts === pending ? 0 : weighInMemory(facts),
  }
}

/**
 * Sorts answers: those compared now, those that wait for the next commit, and those refused because they are
 * larger than one publisher may be: then the known state stays.
 */
export async function sortAnswers(
  db: Database,
  derived: readonly PublisherDerived[],
  { portionRows }: DerivationLimits,
): Promise<{ answered: Answered[]; postponed: Set<Domain>; refused: Refused[] }> {
  const answered: Answered[] = []
  const postponed = new Set<Domain>()
  const refused: Refused[] = []
  let weight = 0
  for (const { subject: domain, answer: facts } of derived) {
    if (facts === undefined || facts === pending) continue
    const own = weighFacts(facts)
    const held = weighInMemory(facts)
    const reason =
      own > PUBLISHER_MAX ? describeTooMuch(own) : await checkStoredGrants(db, domain, facts)
    if (reason !== undefined) refused.push({ domain, facts, reason })
    else if (portionRows !== undefined && weight > 0 && weight + held > COMMIT_WEIGHT) {
      postponed.add(domain)
    } else {
      weight += held
      answered.push({ domain, facts })
    }
  }
  return { answered, postponed, refused }
}
