import { describeRepair, omitRepair } from '../../../pipeline/parse/fault-repair.ts'
import type { FileRecord } from '../../../pipeline/read/lookups/file-records.ts'
import { Fragment, type Html, h } from '../html/jsx.ts'
import { clipText, countThings } from '../html/text.tsx'
import { renderTable } from './blocks.tsx'
import { renderBadge } from './freshness.tsx'

/** Renders the faults of a file, each with where it is and what repairs it. */
export function renderFaults(record: FileRecord | null | undefined): Html {
  if (record === undefined)
    return <p class="empty">Not checked yet: the first crawl has not finished.</p>
  if (record === null)
    return <p class="empty">The registry has never read a valid version of this file.</p>
  const { faults, fault_count } = record
  if (fault_count === 0) return <p class="empty">No issues.</p>
  return renderTable({
    caption: countThings(fault_count, 'issue'),
    columns: ['Where', 'Issue', 'Fix'],
    items: faults,
    total: fault_count,
    limit: 30,
    bytes: 9_000,
    empty: '',
    render: fault => {
      const { field, message, severity } = fault
      const repair = describeRepair(fault)
      return [
        <code>{clipText(field || 'the file', 80)}</code>,
        <>
          {renderBadge(severity === 'error' ? 'bad' : 'fair', severity)}{' '}
          {clipText(omitRepair(message, repair), 240)}
        </>,
        clipText(repair, 240),
      ]
    },
  })
}
