import { agentHealthProjection } from './agent-health.ts'
import {
  agentCredentialProjection,
  agentDiagnosticProjection,
  agentExchangeProjection,
  agentTestProjection,
} from './agent-tests.ts'
import { freshnessProjection } from './freshness.ts'
import { memberProjection, originProjection, ownershipProjection } from './members.ts'
import { invitationProjection, orgMemberProjection } from './organizations.ts'
import { aliasProjection, documentProjection } from './pointers.ts'
import {
  clientProjection,
  issuerProjection,
  keyProjection,
  passkeyProjection,
  personProjection,
  roleProjection,
  userProjection,
} from './principals.ts'
import type { RowProjection } from './projection.ts'
import { agentRunProjection, crawlRequestProjection } from './requests.ts'
import { logoProjection, mirrorProjection, reviewProjection } from './reviews.ts'
import { auditProjection } from './revisions.ts'
import { subscriptionProjection } from './subscriptions.ts'

/** All projections whose changed rows are found by a column such as `seq`. */
export const rowProjections: readonly RowProjection[] = [
  freshnessProjection,
  agentHealthProjection,
  documentProjection,
  keyProjection,
  userProjection,
  orgMemberProjection,
  invitationProjection,
  auditProjection,
  issuerProjection,
  personProjection,
  clientProjection,
  passkeyProjection,
  memberProjection,
  ownershipProjection,
  roleProjection,
  reviewProjection,
  mirrorProjection,
  originProjection,
  logoProjection,
  aliasProjection,
  crawlRequestProjection,
  agentRunProjection,
  subscriptionProjection,
  agentTestProjection,
  agentDiagnosticProjection,
  agentExchangeProjection,
  agentCredentialProjection,
]
