import { z } from 'zod'
import { Domain } from '../core/domain.ts'
import type { PublicErrorName } from '../core/errors.ts'
import { describeIssue } from '../core/validation-messages.ts'
import { invitationOperations } from './accounts/invitation.ts'
import { memberOperations } from './accounts/member.ts'
import { organizationOperations } from './accounts/organization.ts'
import { passkeyOperations } from './accounts/passkey.ts'
import { personOperations } from './accounts/person.ts'
import { roleOperations } from './accounts/role.ts'
import { agentRequestOperations } from './agent-request.ts'
import { complianceOperations } from './compliance.ts'
import { catalogOperations } from './contribution.ts'
import { crawlScopes } from './crawl-request.ts'
import { hostedOperations } from './hosted.ts'
import { identityOperations, KeyPrefix, NewKeyPermissions } from './identity.ts'
import { logoOperations } from './logo.ts'
import { mirrorOperations } from './mirror.ts'
import { ownershipOperations } from './ownership.ts'
import { policyOperations } from './policy.ts'
import { reviewOperations } from './review.ts'
import { Editor, saveOperations } from './save.ts'
import { CallerHash } from './shared-fields.ts'
import { storyboardOperations } from './storyboards/storyboard-record.ts'
import { subscriptionOperations } from './subscription.ts'
import { watchOperations } from './watch.ts'

const name = z.string().trim().min(1).max(200)
const id = z.uuid()
const rid = z.uuid().toLowerCase()

/** Merges two records. The evidence is public, as part of the event. */
const merge = {
  alias_rid: rid,
  canonical_rid: rid,
  evidence: z.string().trim().min(1).max(2_000).exactOptional(),
}

/**
 * Operations of the sequencer. The caller chooses every id, so that a repeated operation is done once; it
 * contains only hashes of secrets, and the first characters of keys.
 */
export const Operation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('organization.create'), org_id: id, name }),
  z.object({
    op: z.literal('key.create'),
    key_id: id,
    org: name,
    label: z.string().max(200),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    prefix: KeyPrefix.exactOptional(),
    permissions: NewKeyPermissions.exactOptional(),
  }),
  /** Revokes a key; with `org_id` only if it is that organization's. */
  z.object({ op: z.literal('key.revoke'), key_id: id, org_id: id.exactOptional() }),
  z.object({
    op: z.literal('crawl.request'),
    crawl_request_id: id,
    scope: z.enum(crawlScopes),
    domain: Domain,
    requested_by: z.string(),
    org_id: z.string().optional(),
  }),
  z.object({
    op: z.literal('domains.add'),
    domains: z.array(Domain).max(20_000),
    /** Also fetches known files again. */
    again: z.boolean(),
    /** Origin of the request: `demanded` by lookups of callers, or an operator. */
    why: z.literal('demanded').exactOptional(),
    /** Caller who looked up each of the domains, in their order. */
    callers: z.array(CallerHash).max(20_000).exactOptional(),
  }),
  z.object({ op: z.literal('property.merge'), ...merge }),
  z.object({ op: z.literal('collection.merge'), ...merge }),
  /** Releases the answers that were held back for these publishers. */
  z.object({ op: z.literal('held.release'), domains: z.array(Domain).max(20_000) }),
  /** Drops held answers, and reads the files again (writer/crawl/held-publishers.ts). */
  z.object({ op: z.literal('held.drop'), domains: z.array(Domain).max(20_000) }),
  ...memberOperations,
  ...ownershipOperations,
  ...roleOperations,
  ...policyOperations,
  ...catalogOperations,
  ...mirrorOperations,
  ...reviewOperations,
  ...saveOperations,
  ...identityOperations,
  ...invitationOperations,
  ...personOperations,
  ...passkeyOperations,
  ...organizationOperations,
  /** Takes a domain down: the registry may not mention it until it is readmitted. */
  z.object({
    op: z.literal('domain.takedown'),
    domain: Domain,
    reason: z.string().trim().min(1).max(2_000).exactOptional(),
  }),
  z.object({ op: z.literal('domain.readmit'), domain: Domain }),
  /**
   * Reverts a submission; the writer builds the inverse operation, since it knows what came after.
   */
  z.object({ op: z.literal('audit.revert'), reverts: id, editor: Editor }),
  ...hostedOperations,
  ...logoOperations,
  ...storyboardOperations,
  ...subscriptionOperations,
  ...complianceOperations,
  ...agentRequestOperations,
  ...watchOperations,
])
export type Operation = z.infer<typeof Operation>
export type OperationOf<Op extends Operation['op']> = Extract<Operation, { op: Op }>

/**
 * The caller: a key or a person through the API, an operator at the command line, or the registry
 * itself.
 */
export const Asker = z.object({
  kind: z.enum(['key', 'user', 'command', 'registry']),
  id: z.string().max(300),
  org_id: z.string().max(300).exactOptional(),
})
export type Asker = z.infer<typeof Asker>

/** A write with its caller. `digest` is its hash, by which a different request under the same id is recognized. */
export const Submission = z.object({
  submission_id: id,
  operation: Operation,
  digest: z.string().max(100).exactOptional(),
  by: Asker.exactOptional(),
  /** Id of the HTTP request, as in the log. */
  request: z.string().max(200).exactOptional(),
  /** Trace of the request, where traces are exported (W3C `traceparent`). */
  trace: z.string().max(100).exactOptional(),
  /** The submission that this one reverts; the writer adds it (writer/community/reverts.ts). */
  reverts: id.exactOptional(),
})
export type Submission = z.infer<typeof Submission>

const FAULT_CHARS_MAX = 300
const UnreadSubmission = z.object({ submission_id: z.string().max(100) })

/**
 * Reads a submission from the JSON in which the writer receives it. Senders read it in the same way before
 * they send it, so what they send is never refused for its form. `submission_id` is absent if it cannot be read.
 */
export function readSubmission(
  text: string,
): { submission: Submission } | { refusal: Refusal; submission_id?: string } {
  const value: unknown = parseJson(text)
  const { success, data, error } = Submission.safeParse(value, { error: describeIssue })
  if (success) return { submission: data }
  const [fault] = error.issues
  const place = fault?.path.filter(step => step !== 'operation').join('.') || 'request'
  const refused = `${place.slice(0, FAULT_CHARS_MAX)}: ${fault?.message.slice(0, FAULT_CHARS_MAX)}`
  return {
    refusal: { refused },
    ...UnreadSubmission.safeParse(value, { error: describeIssue }).data,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Selects the submissions of these operations, in their order. */
export function selectSubmissions<Name extends Operation['op']>(
  submissions: readonly Submission[],
  ...names: Name[]
): (Submission & { operation: OperationOf<Name> })[] {
  const known: ReadonlySet<string> = new Set(names)
  return submissions.filter(
    (submission): submission is Submission & { operation: OperationOf<Name> } =>
      known.has(submission.operation.op),
  )
}

/** Selects these operations among submissions, in their order. */
export function selectOperations<Name extends Operation['op']>(
  submissions: readonly Submission[],
  ...names: Name[]
): OperationOf<Name>[] {
  return selectSubmissions(submissions, ...names).map(({ operation }) => operation)
}

/**
 * Result of a submission: `refused` is the text of a refusal. `error` is its code, unless it is a plain
 * invalid request; `fields` are returned with the text. `digest` is that of the operation as performed.
 */
export type Answer = ({ done: Record<string, unknown> } | Refusal) & { digest?: string }

export interface Refusal {
  refused: string
  error?: Extract<
    PublicErrorName,
    | 'unauthenticated'
    | 'not_found'
    | 'conflict'
    | 'forbidden'
    | 'challenge_expired'
    | 'unpublish_first'
    | 'unverified_hostname'
    | 'ownership_proof_required'
    | 'internal_error'
  >
  fields?: Record<string, unknown>
}

/** Saves that are refused, and those whose name a person should review first, with the reason, by submission. */
export interface SaveVerdicts {
  refused: Map<string, Refusal>
  doubts: Map<string, string>
  /** Submissions refused for a place that was taken down: what they name is not stored. */
  forgotten?: ReadonlySet<string> | undefined
}
