import { countThings } from '../../../pipeline/core/counts.ts'
import { describeRepair, omitRepair } from '../../../pipeline/parse/fault-repair.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import type { ExaminedText } from '../examined-file.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, renderCoded } from '../html/text.tsx'
import { LATER_ROWS_OPEN, renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'
import { renderMarkedLines } from './marked-lines.tsx'

/** Number of the issues of a file, and the line of its first error where that is known. */
export interface CountedFaults {
  errors: number
  warnings: number
  line?: number
}

/** Counts the issues of a file as the workshop does, or as its record does if the text is not at hand. */
export function countFaults(
  file: FileRecord | null | undefined,
  found: ExaminedText | undefined,
): CountedFaults {
  if (found === undefined) {
    const errors = file?.faults.filter(({ severity }) => severity === 'error').length ?? 0
    return { errors, warnings: (file?.fault_count ?? 0) - errors }
  }
  const { errors, warnings } = found.examined
  const [first] = errors
  return {
    errors: errors.length,
    warnings: warnings.length,
    ...(first?.line && { line: first.line }),
  }
}

/** Describes counted issues in a few words. */
export function describeCounted({ errors, warnings }: CountedFaults): string {
  const parts = [
    ...(errors > 0 ? [countThings(errors, 'error')] : []),
    ...(warnings > 0 ? [countThings(warnings, 'warning')] : []),
  ]
  return parts.join(', ') || 'no errors'
}

/** Renders the lines of a file that have issues, folded if all are warnings, or the issues of its record. */
export function renderIssues(
  file: FileRecord | null | undefined,
  found: ExaminedText | undefined,
): Html {
  if (found === undefined) return renderFaults(file)
  const { errors, warnings } = found.examined
  const lines = renderMarkedLines(found.text, [...errors, ...warnings], {
    bytesMax: ISSUES_BYTES,
    isEditable: false,
  })
  if (lines === null) return <p class="empty">No issues.</p>
  if (errors.length > 0) return lines
  return (
    <details>
      <summary>Show {countThings(warnings.length, 'warning')}</summary>
      {lines}
    </details>
  )
}

const ISSUES_BYTES = 9_000

/**
 * Renders the faults that the registry met in a file, each with where it is and what repairs it. A check of its text
 * also has suggestions.
 */
export function renderFaults(record: FileRecord | null | undefined): Html {
  if (record === undefined)
    return <p class="empty">Not checked yet: the first crawl hasn’t finished.</p>
  if (record === null)
    return <p class="empty">The registry has never read a valid version of this file.</p>
  const { faults, fault_count } = record
  if (fault_count === 0)
    return <p class="empty">No errors. A check of the file may have warnings.</p>
  return renderTable({
    caption: countThings(fault_count, 'issue'),
    columns: ['Where', 'Issue', 'Fix'],
    items: faults,
    total: fault_count,
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
          {renderCoded(omitRepair(message, repair), 400)}
        </>,
        renderCoded(repair, 400),
      ]
    },
  })
}
