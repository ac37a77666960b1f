import { type Domain, parseDomain } from '../core/domain.ts'
import { lean } from '../core/lean.ts'
import { isMissing } from '../core/outcomes.ts'
import { type CheckedFile, checkAdagents, countsOf, reported } from '../crawl/check-adagents.ts'
import type { AdagentsInline, AdsTxtDocument } from '../model/documents.ts'
import type { AdagentsReport, AdagentsValidation } from '../model/live.ts'
import { type Fault, isUrl, type Observation, sourceAt, urlOf } from '../model/observation.ts'
import { pending } from '../resolve/derivation.ts'
import { disowned, managedFile } from '../resolve/managed-file.ts'
import { failureOf } from './failure.ts'
import { addressOf, answerNow, knownAs, type LiveDeps, LiveFiles } from './files.ts'

/** Together with the faults, twice, and the agents, an answer stays below 256 KiB. */
const RAW_BYTES = 64 * 1024
const FAULTS = 100

export interface ReadAdagents {
  report: AdagentsReport
  /** Addresses of its agents, each once. */
  agents: string[]
  /** What is left of the time. */
  leftMs: number
}

/** A file, what is wrong with it, and how it was come by. */
interface Reading {
  file: Observation
  checked: CheckedFile
  faults: Fault[]
  method: AdagentsValidation['discovery_method']
  manager?: Domain
}

/**
 * The adagents.json of a domain as it is now: its own, the one it points to, or where there is none
 * that of the manager its ads.txt names, by the rules that the registry itself goes by.
 */
export async function readAdagents(domain: Domain, deps: LiveDeps): Promise<ReadAdagents> {
  const files = new LiveFiles(deps, deps.limits.validateMs)
  const { now } = files
  const own = await files.see({ kind: 'adagents.json', location: domain })
  const checked = check(own, now)
  const tell = (reading: Reading): ReadAdagents => ({
    report: report(domain, reading),
    agents: agentsOf(reading.checked),
    leftMs: files.leftMs,
  })
  const document = checked.document
  if (document?.variant === 'pointer') {
    const address = document.authoritative_location
    const reading = await pointedTo(domain, address, files, now)
    return tell({ ...reading, faults: [...checked.faults, ...reading.faults] })
  }
  const direct: Reading = {
    ...{ file: own, checked, method: 'direct' },
    faults: [...failureOf(withoutFaults(own)), ...checked.faults],
  }
  if (!isMissing(own.outcome)) return tell(direct)
  const managed = await managedBy(domain, own, files, now)
  return tell(managed.file ? (managed as Reading) : withFaults(direct, managed.faults))
}

/** A file that was fetched is read again here, with all that can be said of it. */
function check(seen: Observation, now: number): CheckedFile {
  if (seen.body === undefined) return { faults: [] }
  const domain = isUrl(seen.location) ? undefined : seen.location
  return checkAdagents(seen.body, domain, { now, maxFaults: FAULTS })
}

/** What a parser found is told by the check. */
function withoutFaults({ faults: _, ...seen }: Observation): Observation {
  return seen.body === undefined ? seen : { ...seen, outcome: 'ok' }
}

function withFaults(reading: Reading, faults: readonly Fault[]): Reading {
  return { ...reading, faults: [...reading.faults, ...faults] }
}

async function pointedTo(
  domain: Domain,
  address: string,
  files: LiveFiles,
  now: number,
): Promise<Reading> {
  const file = await files.see(sourceAt('adagents.json', address)!)
  const checked = check(file, now)
  const method = 'authoritative_location'
  const failed = failureOf(withoutFaults(file))
  const faults = failed.map(fault => ({ ...fault, field: method }))
  if (checked.document?.variant === 'pointer') {
    const message = 'leads to a file that only points on: point to the file itself'
    faults.push({ field: method, code: 'nested_pointer', message, severity: 'error' })
  }
  if (checked.document?.variant === 'inline')
    faults.push(...orphanOf(domain, file, checked.document))
  return { file, checked, method, faults: [...faults, ...checked.faults] }
}

/** A shared file that describes properties, and none of them this domain's. */
function orphanOf(
  domain: Domain,
  file: Observation,
  { properties, agents }: AdagentsInline,
): Fault[] {
  if (properties.length === 0 || file.location === domain) return []
  const selectors = agents.flatMap(({ publisher_properties = [] }) => publisher_properties)
  const isNamed =
    properties.some(({ publisher_domain: owner = domain }) => owner === domain) ||
    selectors.some(({ publisher_domains }) => publisher_domains.includes(domain))
  if (isNamed) return []
  const message = `leads to a file that names no property of ${domain}`
  return [
    { field: 'authoritative_location', code: 'orphaned_pointer', message, severity: 'warning' },
  ]
}

type Managed = Reading | { file?: undefined; faults: Fault[] }

/** What stands in for a missing file, or why nothing does. */
async function managedBy(
  domain: Domain,
  own: Observation,
  files: LiveFiles,
  now: number,
): Promise<Managed> {
  const managed = await answerNow(managedFile(domain, knownAs<'adagents.json'>(own), now), files)
  const seen = files.all()
  const adsTxt = seen.find(({ kind }) => kind === 'ads.txt')
  const named = parseDomain((adsTxt?.document as AdsTxtDocument | undefined)?.manager_domain)
  const field = 'managerdomain'
  if (managed !== undefined && managed !== pending && managed !== disowned) {
    const { location, manager_domain: manager } = managed
    const file = seen.find(one => one.kind === 'adagents.json' && one.location === location)!
    const checked = check(file, now)
    const message = `there is no file here, so that of ${manager} was read, whom ads.txt names`
    const used: Fault = { field, code: 'manager_used', message, severity: 'warning' }
    return {
      file,
      checked,
      manager,
      method: 'ads_txt_managerdomain',
      faults: [used, ...checked.faults],
    }
  }
  if (named === undefined) return { faults: [] }
  if (named === domain) {
    const message = 'names the domain itself: there is no other file'
    return { faults: [{ field, code: 'contradictory', message, severity: 'warning' }] }
  }
  return { faults: [whyUnmanaged(domain, named, seen)] }
}

function whyUnmanaged(domain: Domain, manager: Domain, seen: readonly Observation[]): Fault {
  const wasRead = seen.some(
    ({ kind, document }) =>
      kind === 'adagents.json' &&
      (document as { variant?: string } | undefined)?.variant === 'inline',
  )
  if (!wasRead) {
    const message = `the file of ${manager}, whom ads.txt names, cannot be read`
    return { field: 'managerdomain', code: 'manager_unread', message, severity: 'warning' }
  }
  const message = `the file of ${manager} does not name ${domain}: have it named in an entry`
  return { field: 'managerdomain_scope', code: 'out_of_scope', message, severity: 'error' }
}

function report(
  domain: Domain,
  { file, checked, faults, method, manager }: Reading,
): AdagentsReport {
  const told = reported(worstFirst(faults).slice(0, FAULTS))
  const isSilent = faults.some(({ code }) => code === 'connection')
  const raw = checked.root && lean(checked.root, RAW_BYTES)
  const url = urlOf({ kind: 'adagents.json', location: domain })
  return {
    found: file.status === 200,
    validation: {
      ...told,
      domain,
      url,
      ...(file.status !== undefined && !isSilent && { status_code: file.status }),
      ...(file.bytes !== undefined && { response_bytes: file.bytes }),
      ...(!isSilent && addressOf(file) !== url && { resolved_url: addressOf(file) }),
      ...(raw && { raw_data: raw.value }),
      ...(checked.root && raw?.truncated !== false && { raw_data_truncated: true }),
      discovery_method: method,
      ...(manager !== undefined && { manager_domain: manager }),
    },
    counts: countsOf(told.valid ? checked.root : undefined),
  }
}

function agentsOf({ document }: CheckedFile): string[] {
  if (document?.variant !== 'inline') return []
  return [...new Map(document.agents.map(({ agent_url, url }) => [agent_url, url])).values()]
}

function worstFirst(faults: readonly Fault[]): Fault[] {
  const [errors, warnings] = (['error', 'warning'] as const).map(severity =>
    faults.filter(fault => fault.severity === severity),
  )
  return [...errors!, ...warnings!]
}
