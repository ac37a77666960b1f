import type { PlacedFault } from '../../pipeline/model/reported-fault.ts'
import type { ProposedKind } from '../../pipeline/parse/check-file.ts'

/** Result of checking one file; `file` is its path, or the address from which it was read. */
export interface Report {
  file: string
  isLive?: true
  kind: ProposedKind
  valid: boolean
  errors: PlacedFault[]
  warnings: PlacedFault[]
}
