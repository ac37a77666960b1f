import { buffer } from 'node:stream/consumers'
import type { Domain } from '../../pipeline/core/domain.ts'
import type { PlacedFault } from '../../pipeline/model/reported-fault.ts'
import { checkFile, inferKind, type ProposedKind } from '../../pipeline/parse/check-file.ts'
import { nameInput, openInput } from './input.ts'
import { formatCount } from './text.ts'

const FAULTS_SHOWN_MAX = 500
/** Exit status for a file that was checked and has faults; one that could not be checked ends with 1. */
const FAULTY = 2

export const reportFormats = ['text', 'json', 'github'] as const

interface Options {
  kind?: ProposedKind
  domain?: Domain
  strict?: boolean
  format: (typeof reportFormats)[number]
}

interface Report {
  file: string
  kind: ProposedKind
  valid: boolean
  errors: PlacedFault[]
  warnings: PlacedFault[]
}

/**
 * Checks files before they are served, with the registry's own parser, and prints each fault with its place.
 * Sets the exit status 2 where a file has errors, or with `strict` anything at all.
 */
export async function validateFiles(files: readonly string[], options: Options): Promise<void> {
  const reports: Report[] = []
  for (const file of files) reports.push(await validateFile(file, options))
  if (options.format === 'json') {
    process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`)
  } else for (const report of reports) print(report, options.format)
  const isFaulty = ({ valid, warnings }: Report) =>
    !valid || (options.strict === true && warnings.length > 0)
  if (reports.some(isFaulty)) process.exitCode = FAULTY
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

function print({ file, kind, errors, warnings }: Report, format: 'text' | 'github'): void {
  const faults = [...errors, ...warnings].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
  const write = format === 'github' ? formatAnnotation : formatLine
  const lines = faults.map(fault => write(file, fault))
  const counts = `${formatCount(errors.length, 'error')}, ${formatCount(warnings.length, 'warning')}`
  process.stdout.write([...lines, `${nameInput(file)}: ${kind}, ${counts}`, ''].join('\n'))
}

function formatLine(file: string, fault: PlacedFault): string {
  const { line = 1, column = 1, severity, code } = fault
  const name = file === '-' ? '<stdin>' : file
  return `${name}:${line}:${column}: ${severity}: ${describe(fault)} [${code}]`
}

function describe({ message, suggestion }: PlacedFault): string {
  const hasAdvice = suggestion === undefined || message.includes(suggestion.replace(/^\w+ /, ''))
  const advice = hasAdvice ? '' : `: ${suggestion}`
  return removeControls(`${message}${advice}`)
}

/** Formats a fault as the runner of a workflow shows it beside the line. */
function formatAnnotation(file: string, fault: PlacedFault): string {
  const { line = 1, column = 1, severity, code } = fault
  const place = file === '-' ? '' : `file=${toProperty(file)},line=${line},col=${column},`
  return `::${severity} ${place}title=${toProperty(code)}::${toData(describe(fault))}`
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
