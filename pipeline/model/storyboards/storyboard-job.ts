import { z } from 'zod'
import { SEALED_CHARS_MAX, type Suite } from '../compliance.ts'
import type { StepDiagnostic } from './step-diagnostic.ts'
import type { StoryboardComparison } from './storyboard-comparison.ts'
import type { AgentProfile } from './storyboard-result.ts'
import type { SingleStep, StoryboardRun, StoryboardStatus } from './storyboard-run.ts'

const text = z.string()

/** An agent that is tested, and for whom. */
const tested = {
  agent_url: text.max(2_048),
  /** Caller whom the requests are counted for. */
  caller: text.max(64),
  /** The agent's own credential, encrypted, and the organization that gave it. */
  credential: z
    .object({ org_id: text.max(300), sealed: text.max(SEALED_CHARS_MAX) })
    .exactOptional(),
}

/** Jobs that run storyboards; a crawler does them. */
export const StoryboardJob = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('compare'),
    ...tested,
    storyboard_id: text.max(200),
    /** Context with which any process can store the result; absent if the caller waits for it. */
    record: z
      .object({ org_id: text.max(300), requested_by: text.max(300), tested_at: z.iso.datetime() })
      .exactOptional(),
  }),
  z.object({ kind: z.literal('run'), ...tested, storyboard_id: text.max(200), run_id: z.uuid() }),
  z.object({
    kind: z.literal('step'),
    ...tested,
    storyboard_id: text.max(200),
    step_id: text.max(200),
    context: z.record(z.string(), z.unknown()),
    /** The agent is not called: only the request is made. */
    dry_run: z.literal(true).exactOptional(),
  }),
  z.object({ kind: z.literal('profile'), ...tested }),
  /** Asks for an access token by the client credentials of the agent. */
  z.object({ kind: z.literal('token'), ...tested }),
  /** Every storyboard that applies to the agent. */
  z.object({ kind: z.literal('suite'), ...tested }),
])
export type StoryboardJob = z.infer<typeof StoryboardJob>
export type TestedAgent = Pick<StoryboardJobOf<'profile'>, 'agent_url' | 'credential'>
export type StoryboardJobKind = StoryboardJob['kind']
export type StoryboardJobOf<Kind extends StoryboardJobKind> = Extract<StoryboardJob, { kind: Kind }>

/** The agent requires a credential that the registry does not have. */
export interface NeedsCredential {
  needs_credential: true
  /** Why the credential that the registry has is of no use; absent where it has none. */
  message?: string
}

/** Steps of a comparison that are done on each side, those that were skipped among them. */
export interface StoryboardProgress {
  user: number
  reference: number
}

/** A run, and its steps in the form in which they are stored. */
export interface FinishedRun {
  run: Omit<StoryboardRun, 'diagnostics' | 'observations'>
  diagnostics: StepDiagnostic[]
}

/** A comparison, with what is stored of each side. */
export interface ComparedRuns {
  comparison: StoryboardComparison
  user: StoryboardStatus
  reference: StoryboardStatus
}

/** The agent could not be called. */
export interface AgentSilent {
  failed: 'timeout' | 'no_answer'
  /** Kind of the failure, for programs. */
  reason: 'network' | 'tls' | 'timeout' | 'protocol' | 'unknown'
  message: string
}

/** Reason why a token endpoint gave no token. */
export interface TokenFailure {
  /** `oauth`: it refused; `malformed`: its response is invalid; `network`: it did not respond. */
  kind: 'oauth' | 'malformed' | 'network'
  message: string
  oauth_error?: string
  oauth_error_description?: string
  http_status?: number
}

/** Result of asking for a token, which is dropped. */
export type TokenTest =
  | { ok: true; latency_ms: number }
  | { ok: false; latency_ms: number; error: TokenFailure }

/** Answers by kind of job. */
export interface StoryboardAnswers {
  compare: ComparedRuns | NeedsCredential
  run: FinishedRun | NeedsCredential
  step: SingleStep | NeedsCredential | AgentSilent
  profile: { profile: AgentProfile } | NeedsCredential | AgentSilent
  token: TokenTest
  suite: Suite
}
