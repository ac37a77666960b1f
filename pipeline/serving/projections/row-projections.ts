import {
  agentCredentialProjection,
  agentDiagnosticProjection,
  agentTestProjection,
} from './agent-tests.ts'
import { freshnessProjection } from './freshness.ts'
import { memberProjection, originProjection, ownershipProjection } from './members.ts'
import { clientProjection, personProjection } from './people.ts'
import { aliasProjection, pointerProjection } from './pointers.ts'
import { issuerProjection, keyProjection, roleProjection, userProjection } from './principals.ts'
import type { RowProjection } from './projection.ts'
import { agentRunProjection, crawlRequestProjection } from './requests.ts'
import { logoProjection, mirrorProjection, reviewProjection } from './reviews.ts'
import { subscriptionProjection } from './subscriptions.ts'

/** All projections of which the rows that changed are found by their own `seq`. */
export const rowProjections: readonly RowProjection[] = [
  freshnessProjection,
  pointerProjection,
  keyProjection,
  userProjection,
  issuerProjection,
  personProjection,
  clientProjection,
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
  agentCredentialProjection,
]
