import { type Domain, parseDomain } from '../core/domain.ts'
import { getEffect, isMissing } from '../core/outcomes.ts'
import { requireValue } from '../core/present.ts'
import { truncateJson } from '../core/truncate-json.ts'
import type { AdagentsInline, AdsTxtDocument } from '../model/documents/index.ts'
import type { AdagentsReport, AdagentsValidation } from '../model/live/live.ts'
import {
  type Fault,
  isUrl,
  type Observation,
  parseSource,
  severities,
  toUrl,
} from '../model/observation.ts'
import {
  type CheckedFile,
  checkAdagents,
  countEntries,
  reportFaults,
  toSentence,
} from '../parse/check-adagents.ts'
import { pending } from '../resolve/derivation.ts'
import { resolveManagedFile, revokedByManager } from '../resolve/managed-file.ts'
import { getFinalAddress, type LiveDeps, LiveFiles, resolveNow, toKnownFile } from './files.ts'
import { describeFailure } from './live-failure.ts'

/** Bytes of the file in an answer: together with the faults, twice, and the agents it stays below 256 KiB. */
const RAW_BYTES_MAX = 64 * 1024
const FAULTS_MAX = 100
/** Faults of the manager's file that are listed if it does not count for the domain. */
const SCOPE_FAULTS_MAX = 20
const NAMING_LIST = /^(?:root|authorized_agents|properties)\b/
const LIST_ITEM = /^(authorized_agents|properties)\[(\d+)\]/

export interface ReadAdagents {
  report: AdagentsReport
  /** Distinct addresses of its agents. */
  agents: string[]
  /** Remaining time. */
  remainingMs: number
}

/** A file, its faults, and how it was found. */
interface Reading {
  file: Observation
  checked: CheckedFile
  faults: Fault[]
  method: AdagentsValidation['discovery_method']
  manager?: Domain
}

/**
 * Reads the current adagents.json of a domain: its own, the one it points to, or if there is none that of
 * the manager named by its ads.txt, by the registry's own rules.
 */
export async function readAdagents(domain: Domain, deps: LiveDeps): Promise<ReadAdagents> {
  const files = new LiveFiles(deps, deps.limits.validateMs)
  const { now } = files
  const own = await files.fetch({ kind: 'adagents.json', location: domain })
  const checked = checkFile(own, now)
  const buildReport = (reading: Reading): ReadAdagents => ({
    report: toReport(domain, reading),
    agents: listAgents(reading.checked),
    remainingMs: files.remainingMs,
  })
  const document = checked.document
  if (document?.variant === 'pointer') {
    const address = document.authoritative_location
    const reading = await followPointer(domain, address, files, now)
    return buildReport({ ...reading, faults: [...checked.faults, ...reading.faults] })
  }
  const direct: Reading = {
    file: own,
    checked,
    method: 'direct',
    faults: [...describeFailure(omitFaults(own)), ...checked.faults],
  }
  if (!isMissing(own.outcome)) return buildReport(direct)
  const managed = await readManaged(domain, own, files, now)
  return buildReport(managed.file ? (managed as Reading) : withFaults(direct, managed.faults))
}

/** Checks a fetched file by parsing it again, with every fault that it has. */
function checkFile(observed: Observation, now: number): CheckedFile {
  if (observed.body === undefined) return { faults: [] }
  const domain = isUrl(observed.location) ? undefined : observed.location
  return checkAdagents(observed.body, domain, { now, maxFaults: FAULTS_MAX })
}

/** Removes the parser's faults, since the check reports them again. */
function omitFaults({ faults: _, ...observed }: Observation): Observation {
  return observed.body === undefined ? observed : { ...observed, outcome: 'ok' }
}

function withFaults(reading: Reading, faults: readonly Fault[]): Reading {
  return { ...reading, faults: [...reading.faults, ...faults] }
}

async function followPointer(
  domain: Domain,
  address: string,
  files: LiveFiles,
  now: number,
): Promise<Reading> {
  const file = await files.fetch(
    requireValue(parseSource('adagents.json', address), 'address of the file'),
  )
  const checked = checkFile(file, now)
  const method = 'authoritative_location'
  const faults = describeFailure(omitFaults(file)).map(toTargetFailure)
  if (checked.document?.variant === 'pointer') {
    const message = 'leads to another pointer: point to the file itself'
    faults.push({ field: method, code: 'nested_pointer', message, severity: 'error' })
  }
  if (checked.document?.variant === 'inline')
    faults.push(...checkOrphan(domain, file, checked.document))
  return { file, checked, method, faults: [...faults, ...checked.faults.map(placeTargetFault)] }
}

const MOVED = 'leads to a URL that redirects, which is not followed: point to where it redirects'

/** Converts the failure to fetch the target of a pointer: no redirect of it is followed, not even on its site. */
function toTargetFailure(fault: Fault): Fault {
  const message = fault.code === 'bad_redirect' ? MOVED : fault.message
  return { ...fault, field: 'authoritative_location', message }
}

/** Puts what is wrong with the target as a whole at the pointer; parts of it keep their places. */
function placeTargetFault(fault: Fault): Fault {
  const isWhole = fault.severity === 'error' && /^(?:json|root)$/.test(fault.field)
  if (!isWhole || fault.code === 'more_faults') return fault
  const message = toSentence({ field: 'root', message: fault.message })
  return { ...fault, field: 'authoritative_location', message }
}

/** Checks for a shared file whose properties all belong to other domains. */
function checkOrphan(
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

/** Resolves the manager's file for a publisher without one, or the reason why there is none. */
async function readManaged(
  domain: Domain,
  own: Observation,
  files: LiveFiles,
  now: number,
): Promise<Managed> {
  const managed = await resolveNow(
    resolveManagedFile(domain, toKnownFile<'adagents.json'>(own), now),
    files,
  )
  const observed = files.all()
  const adsTxt = observed.find(({ kind }) => kind === 'ads.txt')
  const named = parseDomain((adsTxt?.document as AdsTxtDocument | undefined)?.manager_domain)
  const field = 'managerdomain'
  if (managed !== undefined && managed !== pending && managed !== revokedByManager) {
    const { location, manager_domain: manager } = managed
    const file = requireValue(
      observed.find(
        observation => observation.kind === 'adagents.json' && observation.location === location,
      ),
      'file of the manager',
    )
    const checked = checkFile(file, now)
    const message = `there is no file here, so the file of ${manager} was read, which ads.txt names`
    const used: Fault = { field, code: 'manager_used', message, severity: 'warning' }
    return {
      file,
      checked,
      manager,
      method: 'ads_txt_managerdomain',
      faults: [used, ...checked.faults],
    }
  }
  if (named === undefined) return { faults: adsTxt === undefined ? [] : explainUnread(adsTxt) }
  if (named === domain) {
    const message = 'names the domain itself: there is no other file'
    return { faults: [{ field, code: 'contradictory', message, severity: 'warning' }] }
  }
  return { faults: explainUnmanaged(domain, named, observed, now) }
}

/** Explains that it is not known whether the domain has a manager, if its ads.txt gave no answer. */
function explainUnread(adsTxt: Observation): Fault[] {
  if (getEffect(adsTxt.outcome) !== 'unreachable') return []
  const why = describeFailure(adsTxt).map(fault => fault.message)
  const message = `ads.txt cannot be read, so it may name a manager or not: ${why.join(', ')}`
  return [{ field: 'managerdomain', code: 'ads_txt_unread', message, severity: 'warning' }]
}

function explainUnmanaged(
  domain: Domain,
  manager: Domain,
  observed: readonly Observation[],
  now: number,
): Fault[] {
  const file = observed.find(
    ({ kind, document }) =>
      kind === 'adagents.json' &&
      (document as { variant?: string } | undefined)?.variant === 'inline',
  )
  if (file === undefined) {
    const message = `the file of ${manager}, which ads.txt names, cannot be read`
    return [{ field: 'managerdomain', code: 'manager_unread', message, severity: 'warning' }]
  }
  const why = checkScope(domain, file, now)
  const rule =
    why.length > 0 ? 'the parts that were left out of it may name it' : 'no entry names it'
  const message = `the file of ${manager} does not name ${domain}: ${rule}`
  return [
    { field: 'managerdomain_scope', code: 'out_of_scope', message, severity: 'error' },
    ...why,
  ]
}

/**
 * Lists the errors because of which a manager's file may not name a domain: those in entries and properties
 * that mention it, or else all errors that made the parser drop an entry or a property.
 */
function checkScope(domain: Domain, file: Observation, now: number): Fault[] {
  const { faults, root } = checkFile(file, now)
  const naming = faults.filter(
    ({ field, severity }) => severity === 'error' && NAMING_LIST.test(field),
  )
  const mentioning = naming.filter(({ field }) => {
    const [, list, index] = field.match(LIST_ITEM) ?? []
    const items = list === undefined ? undefined : root?.[list]
    const item = Array.isArray(items) ? items[Number(index)] : undefined
    return item !== undefined && JSON.stringify(item).toLowerCase().includes(domain)
  })
  return (mentioning.length > 0 ? mentioning : naming)
    .slice(0, SCOPE_FAULTS_MAX)
    .map(fault => ({ ...fault, field: `managerdomain_scope.${fault.field}` }))
}

function toReport(
  domain: Domain,
  { file, checked, faults, method, manager }: Reading,
): AdagentsReport {
  const reported = reportFaults(sortWorstFirst(faults).slice(0, FAULTS_MAX))
  const isUnreachable = faults.some(({ code }) => code === 'connection')
  const raw = checked.root && truncateJson(checked.root, RAW_BYTES_MAX)
  const url = toUrl({ kind: 'adagents.json', location: domain })
  return {
    found: file.status === 200,
    validation: {
      ...reported,
      domain,
      url,
      ...(file.status !== undefined && !isUnreachable && { status_code: file.status }),
      ...(file.bytes !== undefined && { response_bytes: file.bytes }),
      ...(!isUnreachable &&
        getFinalAddress(file) !== url && { resolved_url: getFinalAddress(file) }),
      ...(raw && { raw_data: raw.value }),
      ...(checked.root && raw?.truncated !== false && { raw_data_truncated: true }),
      discovery_method: method,
      ...(manager !== undefined && { manager_domain: manager }),
    },
    counts: countEntries(reported.valid ? checked.root : undefined),
  }
}

function listAgents({ document }: CheckedFile): string[] {
  if (document?.variant !== 'inline') return []
  return [...new Map(document.agents.map(({ agent_url, url }) => [agent_url, url])).values()]
}

function sortWorstFirst(faults: readonly Fault[]): Fault[] {
  return severities.flatMap(severity => faults.filter(fault => fault.severity === severity))
}
