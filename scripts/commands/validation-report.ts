import type { ProposedKind } from '../../pipeline/model/proposed-kind.ts'
import type { PlacedFault } from '../../pipeline/model/reported-fault.ts'

/** Result of checking one file; `file` is its path, or the address from which it was read. */
export interface Report {
  file: string
  isLive?: true
  kind: ProposedKind
  valid: boolean
  errors: PlacedFault[]
  warnings: PlacedFault[]
}

export const reportFormats = ['text', 'json', 'github'] as const
export type ReportFormat = (typeof reportFormats)[number]
