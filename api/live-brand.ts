import type { Domain } from '../pipeline/core/domain.ts'
import { PublicError } from '../pipeline/core/errors.ts'
import { findBrand } from '../pipeline/index/points/brands.ts'
import { referencesTo } from '../pipeline/index/queries/brand-refs.ts'
import type { Reader } from '../pipeline/index/reader.ts'
import type { BrandResolution } from '../pipeline/model/answers.ts'
import { faultCodes } from '../pipeline/model/fault-codes.ts'
import type { LiveBrand, SeenReference } from '../pipeline/model/live.ts'
import { urlOf } from '../pipeline/model/observation.ts'
import type { ReportedFault } from '../pipeline/model/reported-fault.ts'
import type { Services } from './services.ts'

/** What is waited beyond the time that a crawler takes for it. */
const SLACK_MS = 1_500

/**
 * Which brand a domain is by its files as they are now; the index follows, since they are crawled
 * next. While nobody can look, what is stored answers, if anything is: else 503.
 */
export async function liveBrand(
  domain: Domain,
  caller: string,
  { budget, config, demand, desk, reader }: Services,
): Promise<LiveBrand> {
  const outward = { question: `brand ${domain}`, caller, target: domain }
  const ms = config.LIMITS.liveBrandMs + SLACK_MS
  try {
    const live = await budget.spend(outward, async () => {
      const seen = await knownReferences(domain, reader)
      return desk.send({ errand: 'read_brand', domain, seen }, ms)
    })
    if (live.resolution !== null) demand.renew(domain)
    return live
  } catch (error) {
    const isAway = error instanceof PublicError && error.error === 'unavailable'
    if (!isAway || findBrand(reader, domain) === undefined) throw error
    return nobodyLooked(domain)
  }
}

/** By the house that the stored answer names: a clock that runs is not set back by looking. */
async function knownReferences(domain: Domain, reader: Reader): Promise<SeenReference[]> {
  const { snapshot } = reader
  const stored = snapshot && findBrand(reader, domain)
  if (stored === undefined) return []
  const brand = JSON.parse(stored.body.toString()) as BrandResolution
  const house = brand.house_domain ?? brand.claimed_house_domain
  return house === undefined ? [] : referencesTo(snapshot!, house, brand.canonical_domain)
}

function nobodyLooked(domain: Domain): LiveBrand {
  const url = urlOf({ kind: 'brand.json', location: domain })
  const fault: ReportedFault = {
    field: 'unknown',
    code: 'unasked',
    message: 'the file could not be asked for at the moment',
    severity: 'error',
    suggestion: faultCodes.unasked.repair,
  }
  return { resolution: null, failure: { valid: false, url, errors: [fault], warnings: [] } }
}
