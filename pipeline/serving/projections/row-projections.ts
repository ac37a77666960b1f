import { agentHealthProjection } from './agent-health.ts'
import { freshnessProjection } from './freshness.ts'
import { memberProjection, originProjection } from './members.ts'
import { mirrorProjection } from './mirrors.ts'
import { aliasProjection, documentProjection } from './pointers.ts'
import type { RowProjection } from './projection.ts'
import { crawlRequestProjection } from './requests.ts'

/** All projections whose changed rows are found by a column such as `seq`. */
export const rowProjections: readonly RowProjection[] = [
  freshnessProjection,
  agentHealthProjection,
  documentProjection,
  memberProjection,
  mirrorProjection,
  originProjection,
  aliasProjection,
  crawlRequestProjection,
]
