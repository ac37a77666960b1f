import { existsSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { countThings } from '../../pipeline/core/counts.ts'
import { type Domain, parsePastedDomain } from '../../pipeline/core/domain.ts'
import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { PlacedFault } from '../../pipeline/model/reported-fault.ts'
import { checkFile, inferKind } from '../../pipeline/parse/check-file.ts'
import { omitRepair } from '../../pipeline/parse/fault-repair.ts'
import { nameInput, openInput } from './input.ts'
import { toTypedPath } from './typed-path.ts'
import type { Report, ReportFormat } from './validation-report.ts'

const FAULTS_SHOWN_MAX = 500
/** Exit status for a file that was checked and has faults; one that could not be checked ends with 1. */
const FAULTY = 2

interface Options {
  kind?: ProposedKind
  domain?: Domain
  strict?: boolean
  format: ReportFormat
}

/**
 * Checks files before they are served, and those that domains serve now, with the registry's own parser, and prints
 * each fault with its place. Sets the exit status 2 where a file has errors, or with `strict` warnings. Throws
 * in the end where a target could not be read: the reports of the others are printed first.
 */
export async function validateTargets(targets: readonly string[], options: Options): Promise<void> {
  const reports: Report[] = []
  const unread: string[] = []
  for (const target of targets) {
    const live = findLiveDomain(target)
    try {
      if (live === undefined) reports.push(await validateFile(target, options))
      else reports.push(...(await validateLive(live, options.kind)))
    } catch (error) {
      unread.push((error as Error).message)
    }
  }
  if (options.format === 'json') {
    process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  } else for (const report of reports) print(report, options.format)
  const isFaulty = ({ valid, warnings }: Report) =>
    !valid || (options.strict === true && warnings.some(({ severity }) => severity === 'warning'))
  if (unread.length > 0) throw new Error(unread.join('\n'))
  if (reports.some(isFaulty)) process.exitCode = FAULTY
}

/** Finds the domain that a target names: a file of that name comes first, and a forgotten file is not a domain. */
function findLiveDomain(target: string): Domain | undefined {
  if (/\.(?:json|txt)$/i.test(target) || existsSync(toTypedPath(target))) return undefined
  // A path of a file that is not there is none either.
  if (target.includes('/') && !/^https?:\/\//i.test(target)) return undefined
  return parsePastedDomain(target)
}

/** Loads what reads the web only where a domain is named: files are checked without. */
async function validateLive(domain: Domain, kind: ProposedKind | undefined): Promise<Report[]> {
  return (await import('./validate-live.ts')).validateDomain(domain, kind)
}

async function validateFile(file: string, { kind, domain }: Options): Promise<Report> {
  const bytes = await buffer(await openInput(file))
  const chosen = kind ?? chooseKind(file, bytes)
  const context = { domain, now: Date.now(), maxFaults: FAULTS_SHOWN_MAX }
  const { valid, errors, warnings } = checkFile(chosen, bytes, context)
  return { file, kind: chosen, valid, errors, warnings }
}

/** Chooses what a file is checked as: by its name, else by its content. */
function chooseKind(file: string, bytes: Buffer): ProposedKind {
  if (/adagents[^/\\]*$/i.test(file)) return 'adagents.json'
  if (/brand[^/\\]*$/i.test(file)) return 'brand.json'
  try {
    return inferKind(JSON.parse(bytes.toString()))
  } catch {
    return 'adagents.json'
  }
}

function print({ file, isLive, kind, errors, warnings }: Report, format: 'text' | 'github'): void {
  const faults = [...errors, ...warnings].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
  const write = format === 'github' ? formatAnnotation : formatLine
  const lines = faults.map(fault => write(file, fault, isLive))
  process.stdout.write(
    [...lines, `${nameInput(file)}: ${kind}, ${countFaults(faults)}`, ''].join('\n'),
  )
}

/** Counts faults by severity; recommendations only where there are any. */
function countFaults(faults: readonly PlacedFault[]): string {
  const toCount = (severity: PlacedFault['severity']) =>
    countThings(faults.filter(fault => fault.severity === severity).length, severity)
  const hasAdvice = faults.some(({ severity }) => severity === 'recommendation')
  return [
    toCount('error'),
    toCount('warning'),
    ...(hasAdvice ? [toCount('recommendation')] : []),
  ].join(', ')
}

function formatLine(file: string, fault: PlacedFault, isLive?: true): string {
  const { line = 1, column = 1, severity, code } = fault
  const name = file === '-' ? '<stdin>' : file
  const place = isLive ? file : `${name}:${line}:${column}`
  return `${place}: ${severity}: ${describe(fault)} [${code}]`
}

function describe({ message, suggestion }: PlacedFault): string {
  const text =
    suggestion === undefined ? message : `${omitRepair(message, suggestion)}. Fix: ${suggestion}`
  return removeControls(text)
}

/** Formats a fault as the runner of a workflow shows it: beside the line, or for a served file with its address. */
function formatAnnotation(file: string, fault: PlacedFault, isLive?: true): string {
  const { line = 1, column = 1, severity, code } = fault
  const isPath = !isLive && file !== '-'
  const place = isPath ? `file=${toProperty(file)},line=${line},col=${column},` : ''
  const text = isLive ? `${file}: ${describe(fault)}` : describe(fault)
  const level = severity === 'recommendation' ? 'notice' : severity
  return `::${level} ${place}title=${toProperty(code)}::${toData(text)}`
}

function toData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function toProperty(text: string): string {
  return toData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a file must not move the cursor
const CONTROL = /[\x00-\x1f\x7f-\x9f]+/g

function removeControls(text: string): string {
  return text.replace(CONTROL, ' ')
}
