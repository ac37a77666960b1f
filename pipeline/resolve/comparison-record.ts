import type { ComparedRuns } from '../model/storyboards/storyboard-job.ts'
import type { OperationOf } from '../model/submission.ts'

/** Place of a comparison, and its caller. */
type Place = Pick<
  OperationOf<'storyboard.record'>,
  'run_id' | 'agent_url' | 'org_id' | 'requested_by' | 'tested_at'
>

/** Builds the operation that stores a comparison. */
export function buildComparisonRecord(
  place: Place,
  { comparison, user, reference }: ComparedRuns,
): OperationOf<'storyboard.record'> {
  const { first_failure_validations: _, ...result } = user
  const steps = (comparison.phases ?? []).flatMap(phase => phase.steps)
  return {
    op: 'storyboard.record',
    kind: 'compare',
    ...place,
    ...result,
    duration_ms: comparison.total_duration_ms,
    reference_status: reference.status,
    differing_steps: steps.filter(({ differs }) => differs).map(({ id }) => id),
  }
}
