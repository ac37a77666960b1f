import type { Domain } from '../core/domain.ts'
import { truncateJson } from '../core/truncate-json.ts'
import { buildBrandRow } from '../diff/brand-row.ts'
import type { BrandDocument } from '../model/documents/index.ts'
import type { KnownBrandFile, LiveBrand } from '../model/live/live.ts'
import { type Fault, type Observation, toUrl } from '../model/observation.ts'
import type { LiveBrandFailure } from '../model/reported-fault.ts'
import { reportFaults } from '../parse/check-adagents.ts'
import { readPublicRoot } from '../parse/read-json.ts'
import { deriveBrand } from '../resolve/brand.ts'
import { pending } from '../resolve/derivation.ts'
import { toBrandResolution } from '../serving/documents.ts'
import { getFinalAddress, type LiveDeps, LiveFiles, resolveNow } from './files.ts'
import { describeFailure } from './live-failure.ts'

/** Bytes of the file in an answer, which must stay below 256 KiB as a whole. */
const DATA_BYTES_MAX = 160 * 1024
const FAULTS_MAX = 20
const MESSAGE_CHARS_MAX = 500

/**
 * Resolves a brand from its files as they are on the web now, by the rules of the index. `known` are the
 * other files behind the stored answer: they show since when a house has referred to a brand, and replace the
 * file of a house that cannot be fetched.
 */
export async function readBrand(
  domain: Domain,
  known: KnownBrandFile[],
  deps: LiveDeps,
): Promise<LiveBrand> {
  const files = new LiveFiles(deps, deps.limits.liveBrandMs, known)
  const facts = await resolveNow(deriveBrand(domain, files.now), files)
  const own = await files.fetch({ kind: 'brand.json', location: domain })
  const root = own.body && readPublicRoot(own.body)
  if (facts === undefined || facts === pending || root === undefined) {
    return { resolution: null, failure: explainFailure(own, files.all()) }
  }
  const data = truncateJson(root, DATA_BYTES_MAX)
  return {
    resolution: toBrandResolution(buildBrandRow(domain, facts, 0)),
    url: getFinalAddress(own),
    variant: (own.document as BrandDocument).variant,
    data: data?.value ?? {},
    data_truncated: data?.truncated ?? true,
    warnings: shortenMessages(own.faults ?? []).slice(0, FAULTS_MAX),
  }
}

/** Explains a failure by the domain's own file if that is at fault, else by the file that it led to. */
function explainFailure(own: Observation, all: readonly Observation[]): LiveBrandFailure {
  const failed = [own, ...all].find(observation => describeFailure(observation).length > 0)
  const faults = failed === undefined ? [brokenChain] : describeFailure(failed)
  const { errors, warnings } = reportFaults(faults)
  const isUnreachable = faults.some(({ code }) => code === 'connection')
  return {
    valid: false,
    url: toUrl(own),
    ...(own.status !== undefined && !isUnreachable && { status_code: own.status }),
    errors: shortenMessages(errors).slice(0, FAULTS_MAX),
    warnings: shortenMessages(warnings).slice(0, FAULTS_MAX),
  }
}

const brokenChain: Fault = {
  field: 'root',
  code: 'unresolved',
  message: 'does not say which brand this domain is',
  severity: 'error',
}

/** Shortens the messages of faults. */
function shortenMessages(faults: readonly Fault[]) {
  return faults.map(fault => ({ ...fault, message: fault.message.slice(0, MESSAGE_CHARS_MAX) }))
}
