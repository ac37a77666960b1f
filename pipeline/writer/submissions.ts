import type { Domain } from '../core/domain.ts'
import type { EventDraft } from '../model/event.ts'
import { type OperationOf, type Submission, selectOperations } from '../model/submission.ts'
import type { Database } from '../store/database.ts'
import type { ApplyContext, Batch } from './apply-context.ts'
import { applyVerdicts } from './community/agent-verdicts.ts'
import { applyContributions } from './community/contributions.ts'
import { applySuspensions } from './community/disputed-properties.ts'
import { applyEnrolments } from './community/enrolments.ts'
import { applyDecisions } from './community/entry-decisions.ts'
import type { Saved } from './community/entry-states.ts'
import { removeEnriched } from './community/evicted-brands.ts'
import { applyMirrors } from './community/mirrors.ts'
import { applyPolicies } from './community/policies.ts'
import { applySaves, buildApprovedSaves } from './community/saves.ts'
import { recordEntries } from './community/shown-properties.ts'
import { openRequest } from './crawl/crawl-requests.ts'
import { addDomains, makeDue } from './crawl/frontier.ts'
import { applyHeld, type ReleasedHold } from './crawl/held-publishers.ts'
import { addLookedUp } from './crawl/looked-up-names.ts'
import { admitDemanded } from './crawl/mentions.ts'
import type { Newcomer } from './crawl/newcomer.ts'
import { applyMerges, type Merged, noneMerged } from './entities/merges.ts'
import { applyTakedown, type TakedownEffects } from './takedown/apply-takedown.ts'

/** Lists submissions once, without those that were carried out before. */
function listToDo(submissions: readonly Submission[], fresh?: ReadonlySet<string>): Submission[] {
  const once = new Map(submissions.map(submission => [submission.submission_id, submission]))
  return [...once.values()].filter(({ submission_id: id }) => fresh?.has(id) ?? true)
}

const domainOperations = ['domains.add', 'crawl.request', 'domain.readmit'] as const

/** Applies requested domains: they join the frontier, or are due again. */
async function applyDomains(
  db: Database,
  operations: readonly OperationOf<(typeof domainOperations)[number]>[],
  context: ApplyContext,
): Promise<void> {
  const { now, seq, frontierMax, takenDown } = context
  for (const operation of operations) {
    if (operation.op === 'domains.add' && operation.why === 'demanded') {
      await addDemanded(db, operation, context)
    } else if (operation.op === 'domains.add') {
      const added = operation.domains.map((domain): Newcomer => ({ domain, why: 'given' }))
      await addDomains(db, added, { now, seq, max: frontierMax, takenDown })
      if (operation.again) await makeDue(db, operation.domains, now)
    } else if (operation.op === 'crawl.request') {
      const asked = [{ domain: operation.domain, why: 'requested' as const }]
      await addDomains(db, asked, { now, seq, max: frontierMax + 1 })
      await openRequest(db, operation, { now, seq })
    } else {
      const back = [{ domain: operation.domain, why: 'given' as const }]
      await addDomains(db, back, { now, seq, max: frontierMax + 1, takenDown })
    }
  }
}

/** Adds what callers looked up; names that answered to one of them are due again. */
async function addDemanded(
  db: Database,
  { domains, callers = [], again }: OperationOf<'domains.add'>,
  context: ApplyContext,
): Promise<void> {
  const lookedUp = new Map(domains.map((domain, i): [Domain, string] => [domain, callers[i] ?? '']))
  const admitted = new Set(again ? domains : admitDemanded(domains, context))
  for (const domain of domains) if (!admitted.has(domain)) lookedUp.delete(domain)
  await addLookedUp(db, lookedUp, context)
  if (again) await makeDue(db, domains, context.now)
}

/** Effects of people's requests that are applied before anything is derived. */
export interface AppliedRequests {
  /** Submissions that are carried out now. */
  submissions: readonly Submission[]
  saved: Map<string, Saved>
  drafts: EventDraft[]
  merged: Merged
  takedown: TakedownEffects
  held: ReleasedHold
}
const noTakedown: TakedownEffects = { invalidated: [], publishers: [], reached: [] }
const nothingReleased: ReleasedHold = { invalidated: [], released: [] }
export const noRequests: AppliedRequests = {
  submissions: [],
  saved: new Map(),
  drafts: [],
  merged: noneMerged,
  takedown: noTakedown,
  held: nothingReleased,
}

/** Applies requests and decisions of people, as far as nothing must be derived for them. */
export async function applyRequests(
  db: Database,
  batch: Batch,
  context: ApplyContext,
): Promise<AppliedRequests> {
  const { decisions = [], takedowns = [], unrecorded = [] } = batch
  const taken = listToDo(batch.submissions, batch.fresh)
  const { saved, events } = await applyOwnAndApproved(db, batch, taken, context)
  if (batch.evicted?.length) await removeEnriched(db, batch.evicted, context)
  const domains = selectOperations(taken, ...domainOperations)
  if (domains.length > 0) await applyDomains(db, domains, context)
  const decided = decisions.length > 0 ? await applyDecisions(db, decisions, context) : []
  const recorded = unrecorded.length > 0 ? await recordEntries(db, unrecorded, context) : []
  const merges = selectOperations(taken, 'property.merge', 'collection.merge')
  const merged = merges.length > 0 ? await applyMerges(db, merges, context) : noneMerged
  const takedown = takedowns.length > 0 ? await applyTakedown(db, takedowns, context) : noTakedown
  const holds = selectOperations(taken, 'held.release', 'held.drop')
  const held = holds.length > 0 ? await applyHeld(db, holds, context) : nothingReleased
  const drafts = [...events, ...decided, ...recorded].filter(
    ({ payload }) => !context.takenDown.covers(String(payload.publisher_domain)),
  )
  return { submissions: taken, saved, drafts, merged, takedown, held }
}

/** Applies the saves of this commit, and those that a moderator approved. */
async function applyOwnAndApproved(
  db: Database,
  { editing, publications, submittedAt }: Batch,
  taken: readonly Submission[],
  context: ApplyContext,
): ReturnType<typeof applySaves> {
  const own = editing ?? { editors: new Map(), waiting: new Set() }
  const approved = await buildApprovedSaves(db, publications?.brands ?? [], context.takenDown)
  return applySaves(
    db,
    [...taken, ...approved.submissions],
    { ...own, editors: new Map([...own.editors, ...approved.editors]) },
    { ...context, now: submittedAt ?? context.now },
  )
}

/** Applies decisions of the accounts that are shown from now on. */
export async function applyShown(
  db: Database,
  { enrolments = [], verdicts, publications }: Batch,
  taken: readonly Submission[],
  context: ApplyContext,
): Promise<EventDraft[]> {
  if (enrolments.length > 0) await applyEnrolments(db, enrolments, context)
  const contributions = selectOperations(taken, 'property.contribute')
  const contributed =
    contributions.length > 0 ? await applyContributions(db, contributions, context) : []
  const tested = verdicts ? await applyVerdicts(db, verdicts, context) : []
  if (publications === undefined) return [...contributed, ...tested]
  await applyPolicies(db, publications, context)
  const mirrored = await applyMirrors(db, publications.mirrors, context)
  const suspended = await applySuspensions(db, publications.suspensions, context)
  return [...contributed, ...tested, ...mirrored, ...suspended]
}
