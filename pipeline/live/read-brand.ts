import type { Domain } from '../core/domain.ts'
import { lean } from '../core/lean.ts'
import { reported } from '../crawl/check-adagents.ts'
import { brandRowOf } from '../diff/rows.ts'
import { brandResolutionOf } from '../index/answers.ts'
import type { BrandDocument } from '../model/documents.ts'
import type { LiveBrand, SeenReference } from '../model/live.ts'
import { type Fault, type Observation, urlOf } from '../model/observation.ts'
import type { LiveBrandFailure } from '../model/reported-fault.ts'
import { deriveBrand } from '../resolve/brand.ts'
import { pending } from '../resolve/derivation.ts'
import { failureOf } from './failure.ts'
import { addressOf, answerNow, type LiveDeps, LiveFiles, rootOf } from './files.ts'

/** Of what the file says; answers stay below 256 KiB. */
const DATA_BYTES = 160 * 1024
const FAULTS = 20
const TEXT_CHARS = 500

/**
 * Which brand a domain is by its files as they are now, by the rules that the registry itself goes
 * by. A reference without a time counts since it was first seen, by what is `known`, or today.
 */
export async function readBrand(
  domain: Domain,
  known: SeenReference[],
  deps: LiveDeps,
): Promise<LiveBrand> {
  const files = new LiveFiles(deps, deps.limits.liveBrandMs, known)
  const facts = await answerNow(deriveBrand(domain, files.now), files)
  const own = await files.see({ kind: 'brand.json', location: domain })
  const root = rootOf(own)
  if (facts === undefined || facts === pending || root === undefined) {
    return { resolution: null, failure: whyNot(own, files.all()) }
  }
  const data = lean(root, DATA_BYTES)
  return {
    resolution: brandResolutionOf(brandRowOf(domain, facts, 0)),
    url: addressOf(own),
    variant: (own.document as BrandDocument).variant,
    data: data?.value ?? {},
    data_truncated: data?.truncated ?? true,
    warnings: told(own.faults ?? []).slice(0, FAULTS),
  }
}

/** Its own file if that is at fault, else the one that it led to. */
function whyNot(own: Observation, all: readonly Observation[]): LiveBrandFailure {
  const failed = [own, ...all].find(seen => failureOf(seen).length > 0)
  const faults = failed === undefined ? [nowhere] : failureOf(failed)
  const { errors, warnings } = reported(faults)
  const isSilent = faults.some(({ code }) => code === 'connection')
  return {
    valid: false,
    url: urlOf(own),
    ...(own.status !== undefined && !isSilent && { status_code: own.status }),
    errors: told(errors).slice(0, FAULTS),
    warnings: told(warnings).slice(0, FAULTS),
  }
}

const nowhere: Fault = {
  field: 'root',
  code: 'unresolved',
  message: 'does not tell which brand this domain is',
  severity: 'error',
}

function told(faults: readonly Fault[]) {
  return faults.map(fault => ({ ...fault, message: fault.message.slice(0, TEXT_CHARS) }))
}
