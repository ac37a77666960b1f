import { countThings } from '../../../pipeline/core/counts.ts'
import type { HostedKind } from '../../../pipeline/model/hosted.ts'
import { isUrl, type Source } from '../../../pipeline/model/observation.ts'
import { describeRepair, omitRepair } from '../../../pipeline/parse/fault-repair.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import type { ExaminedText } from '../examined-file.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderCoded, toContractions } from '../html/text.tsx'
import { LATER_ROWS_OPEN, renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { renderMarkedLines } from './marked-lines.tsx'
import { toRawFilePath, toWorkshopPath } from './paths.ts'

/** Number of the issues of a file, and the line of its first error where that is known. */
export interface CountedFaults {
  errors: number
  /** Undefined if the text of the file was not at hand: its record lacks what only a check finds. */
  warnings: number | undefined
  line?: number
}

/**
 * Describes counted issues in a few words; undefined if there is no error, and nobody knows of warnings.
 * @param place is said of the errors, such as their line.
 */
export function describeCounted(
  { errors, warnings }: CountedFaults,
  place = '',
): string | undefined {
  const parts = [
    ...(errors > 0 ? [`${countThings(errors, 'error')}${place}`] : []),
    ...(warnings ? [countThings(warnings, 'warning')] : []),
  ]
  return parts.join(', ') || (warnings === 0 ? 'no issues' : undefined)
}

/** Chooses how a valid file looks: good only where it is known to have no issues. */
export function chooseIssuesLook({ errors, warnings }: CountedFaults): 'fair' | 'good' | 'none' {
  if (errors > 0) return 'fair'
  return warnings === undefined ? 'none' : warnings > 0 ? 'fair' : 'good'
}

/** Renders the lines of a file that have issues, folded if all are warnings and many, or the issues of its record. */
export function renderIssues(
  source: Source,
  file: FileRecord | null | undefined,
  { found, counted }: { found?: ExaminedText | undefined; counted?: CountedFaults } = {},
): Html {
  if (found === undefined) return renderFaults(source, file, counted)
  const { errors } = found.examined
  const warnings = found.examined.warnings.filter(({ severity }) => severity === 'warning')
  const lines = renderMarkedLines(found.text, [...errors, ...warnings], {
    bytesMax: ISSUES_BYTES,
    isEditable: false,
  })
  if (lines === null) return <p class="empty">No issues.</p>
  if (errors.length > 0) return lines
  return (
    <details open={warnings.length <= OPEN_MAX}>
      <summary>{countThings(warnings.length, 'warning')}</summary>
      {lines}
    </details>
  )
}

const ISSUES_BYTES = 9_000
/** Warnings that are shown at once. */
const OPEN_MAX = 3

/**
 * Renders the faults that the registry met in a file, each with where it is and what repairs it, and says how many more
 * a check of its text has.
 */
function renderFaults(
  source: Source,
  record: FileRecord | null | undefined,
  counted: CountedFaults | undefined,
): Html {
  if (record === undefined)
    return <p class="empty">Not checked yet: the first crawl hasn’t finished.</p>
  if (record === null)
    return <p class="empty">The registry has never read a valid version of this file.</p>
  const { faults, fault_count } = record
  const { errors = 0, warnings } = counted ?? {}
  if (fault_count > 0) return renderStored(source, faults, fault_count, errors + (warnings ?? 0))
  if (warnings === undefined) return <p class="empty">Not checked for warnings.</p>
  return warnings === 0 ? (
    <p class="empty">No issues.</p>
  ) : (
    <p class="empty">
      {countThings(warnings, 'warning')}. {renderCheck(source, warnings)}
    </p>
  )
}

/** Renders where somebody sees warnings that are only counted; the workshop opens the files of domains alone. */
function renderCheck({ kind, location }: Source, warnings: number): Html {
  const them = warnings === 1 ? 'it' : 'them'
  const checked = kind as HostedKind
  return isUrl(location) ? (
    <>
      Paste the <a href={toRawFilePath(checked, location)}>raw file</a> into{' '}
      <a href="/workshop">Check a file</a> to see {them}.
    </>
  ) : (
    <>
      <a href={toWorkshopPath(location, checked)}>Check the file</a> to see {them}.
    </>
  )
}

function renderStored(
  source: Source,
  faults: FileRecord['faults'],
  total: number,
  counted: number,
): Html {
  const table = renderTable({
    caption: countThings(total, 'issue'),
    columns: ['Where', 'Issue', 'Fix'],
    items: faults,
    total,
    limit: 30,
    bytes: 9_000,
    open: LATER_ROWS_OPEN,
    empty: '',
    render: fault => {
      const { field, message, severity } = fault
      const repair = describeRepair(fault)
      return [
        <code>{clipText(field || 'the file', 80)}</code>,
        <>
          {renderBadge(severity === 'error' ? 'bad' : 'fair', severity)}{' '}
          {renderCoded(toContractions(omitRepair(message, repair)), 400)}
        </>,
        renderCoded(toContractions(repair), 400),
      ]
    },
  })
  const more = counted - total
  if (more <= 0) return table
  return (
    <>
      {table}
      <p>
        {countThings(more, 'more warning')}. {renderCheck(source, more)}
      </p>
    </>
  )
}
