import type { Validation } from '../model/storyboards/validation.ts'
import type { SchemaFault } from './schemas.ts'

/** Answer of an agent to a task: its payload, or the code of the error by which it refused. */
export interface TaskOutcome {
  payload: Record<string, unknown>
  /** Present if the agent refused; `body` is the whole error as the agent sent it. */
  error?: { code?: string; message?: string; body?: Record<string, unknown> }
  /** The payload was read from a text of the result, as it has no structured content. */
  isFromText?: true
}

/** Status and headers of an answer, where a step is about them. */
export interface AnswerHead {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Calls to other platforms that an agent recorded, by the step since which; undefined stands for the step itself. */
export type UpstreamRecord = ReadonlyMap<string | undefined, readonly Record<string, unknown>[]>

/** All that the checks of a step look at. */
export interface Judged {
  outcome: TaskOutcome
  http?: AnswerHead | undefined
  /** Request as it was sent; empty where nothing was. */
  request?: Record<string, unknown>
  upstream?: UpstreamRecord | undefined
  agentUrl: string
  /** Values of earlier steps. */
  values: ReadonlyMap<string, unknown>
  /** Names the step that did what a flag stands for. */
  findContributor(flag: string): string | undefined
  /** Checks the payload by the schema that the step names; undefined where there is none. */
  checkSchema(): SchemaFault | 'valid' | undefined
}

export interface Finding {
  passed: boolean
  expected: unknown
  actual: unknown
  /** Place in the payload, where the check itself names none. */
  path?: string
}

export type ValidationOf<Kind extends Validation['check']> = Extract<Validation, { check: Kind }>
export type Check<Kind extends Validation['check']> = (
  validation: ValidationOf<Kind>,
  judged: Judged,
) => Finding

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

export function showOptions(options: readonly unknown[]): unknown {
  return options.length === 1 ? options[0] : options
}

/** Lists what a check expects: one value, or any of several. */
export function listExpected({
  value,
  allowed_values,
}: {
  value?: unknown
  allowed_values?: unknown[] | undefined
}): unknown[] {
  return allowed_values ?? [value]
}
