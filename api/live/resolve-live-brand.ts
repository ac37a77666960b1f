import type { Config } from '../../pipeline/core/config.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { PublicError } from '../../pipeline/core/errors.ts'
import { faultCodes } from '../../pipeline/model/fault-codes.ts'
import type { LiveBrand } from '../../pipeline/model/live/live.ts'
import { toUrl } from '../../pipeline/model/observation.ts'
import type { ReportedFault } from '../../pipeline/model/reported-fault.ts'
import { findBrand } from '../../pipeline/read/lookups/resolutions.ts'
import { listBrandFiles } from '../../pipeline/read/queries/brand-files.ts'
import type { Reader } from '../../pipeline/read/reader.ts'
import type { Outbound, OutboundAnswer } from '../limits/outbound.ts'
import type { Demand } from './demand.ts'

/** Time in addition to the crawler's own in which its answer is awaited. */
const SLACK_MS = 1_500

interface LiveBrandServices {
  config: Config
  demand: Demand
  outbound: Outbound
  reader: Reader
}

/**
 * Resolves the brand of a domain by its current files, and requests a crawl of them. While no crawler is
 * available the stored answer is sent, or 503 if there is none.
 */
export async function resolveLiveBrand(
  domain: Domain,
  caller: string,
  { config, demand, outbound, reader }: LiveBrandServices,
): Promise<OutboundAnswer<LiveBrand>> {
  try {
    const live = await outbound.ask<'read_brand'>({
      cacheKey: `brand ${domain}`,
      caller,
      ms: config.LIMITS.liveBrandMs + SLACK_MS,
      async request() {
        const { snapshot } = reader
        const known = snapshot === undefined ? [] : await listBrandFiles(snapshot, domain)
        return { kind: 'read_brand', domain, known }
      },
    })
    if (live.answer.resolution !== null) demand.requestCrawl(domain)
    return live
  } catch (error) {
    const isUnavailable = error instanceof PublicError && error.error === 'unavailable'
    if (!isUnavailable || findBrand(reader, domain) === undefined) throw error
    return { answer: buildNotFetched(domain), ageMs: 0 }
  }
}

function buildNotFetched(domain: Domain): LiveBrand {
  const url = toUrl({ kind: 'brand.json', location: domain })
  const fault: ReportedFault = {
    field: 'unknown',
    code: 'unasked',
    message: 'the file could not be requested at the moment',
    severity: 'error',
    suggestion: faultCodes.unasked.repair,
  }
  return { resolution: null, failure: { valid: false, url, errors: [fault], warnings: [] } }
}
