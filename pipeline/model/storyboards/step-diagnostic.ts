import { z } from 'zod'
import { StepExchange } from './step-exchange.ts'
import { ValidationResult } from './storyboard-check.ts'
import { StepGuidance } from './storyboard-result.ts'

const id = z.string().min(1).max(200)

/** A step of a run as its organization may see it: shortened, and without secrets. */
export const StepDiagnostic = z.object({
  storyboard_id: id,
  phase_id: id,
  step_id: id,
  task: id,
  step_passed: z.boolean().nullable(),
  duration_ms: z.number().nonnegative(),
  error_text: z.string().max(1_000).nullable(),
  failed_validations: z.array(ValidationResult),
  /** Request and answer of a step that failed; absent also where the run was stored by an older version. */
  exchange: StepExchange.exactOptional(),
  /** Help for the owner of the agent; of a step that failed. */
  guidance: StepGuidance.exactOptional(),
})
export type StepDiagnostic = z.infer<typeof StepDiagnostic>
