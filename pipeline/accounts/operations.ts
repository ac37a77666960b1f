import type { Operation } from '../model/submission.ts'
import { credentialDefinitions } from './agents/agent-credentials.ts'
import { agentRequestDefinitions } from './agents/agent-requests.ts'
import { badgeDefinitions } from './agents/badges.ts'
import { complianceDefinitions } from './agents/compliance-runs.ts'
import { enrollingDefinitions } from './agents/enrolling.ts'
import { memberAgentDefinitions } from './agents/member-agents.ts'
import { monitoringDefinitions } from './agents/monitoring.ts'
import { storyboardDefinitions } from './agents/storyboard-runs.ts'
import { billingDefinitions } from './billing.ts'
import { brandSubmissionDefinitions } from './brand-submissions.ts'
import { challengeDefinitions } from './challenges.ts'
import { catalogDefinitions } from './contributions.ts'
import { crawlRequestDefinitions } from './crawl-requests.ts'
import { domainDefinitions } from './domains.ts'
import { foundingDefinitions } from './founding.ts'
import { indexDefinitions } from './index-operations.ts'
import { invitationDefinitions } from './invitations.ts'
import { issuerDefinitions } from './issuers.ts'
import { logoDefinitions } from './logos.ts'
import { memberDefinitions } from './members.ts'
import { membershipDefinitions } from './memberships.ts'
import { mirrorDefinitions } from './mirrors.ts'
import type {
  OperationDefinition,
  OperationDefinitions,
  OperationName,
} from './operation-definition.ts'
import { organizationDeletionDefinitions } from './organization-deletion.ts'
import { organizationMemberDefinitions } from './organization-members.ts'
import { organizationDefinitions } from './organizations.ts'
import { originDefinitions } from './origins.ts'
import { passkeyDefinitions } from './passkeys.ts'
import { personDefinitions } from './people.ts'
import { policyDefinitions } from './policies.ts'
import { reviewDefinitions } from './review-decisions.ts'
import { roleDefinitions } from './roles.ts'
import { saveDefinitions } from './saves.ts'
import { sharedDomainDefinitions } from './shared-domains.ts'
import { subscriptionDefinitions } from './subscriptions.ts'
import { takedownDefinitions } from './taken-down.ts'
import { watchDefinitions } from './watches.ts'

/** One definition for each operation of the model: a missing one is a type error. */
const definitions: OperationDefinitions<OperationName> = {
  ...brandSubmissionDefinitions,
  ...badgeDefinitions,
  ...billingDefinitions,
  ...catalogDefinitions,
  ...challengeDefinitions,
  ...complianceDefinitions,
  ...agentRequestDefinitions,
  ...crawlRequestDefinitions,
  ...credentialDefinitions,
  ...domainDefinitions,
  ...sharedDomainDefinitions,
  ...enrollingDefinitions,
  ...foundingDefinitions,
  ...indexDefinitions,
  ...invitationDefinitions,
  ...issuerDefinitions,
  ...logoDefinitions,
  ...memberAgentDefinitions,
  ...memberDefinitions,
  ...membershipDefinitions,
  ...mirrorDefinitions,
  ...monitoringDefinitions,
  ...organizationDefinitions,
  ...organizationDeletionDefinitions,
  ...organizationMemberDefinitions,
  ...originDefinitions,
  ...passkeyDefinitions,
  ...personDefinitions,
  ...policyDefinitions,
  ...reviewDefinitions,
  ...roleDefinitions,
  ...saveDefinitions,
  ...storyboardDefinitions,
  ...subscriptionDefinitions,
  ...takedownDefinitions,
  ...watchDefinitions,
}

export function getDefinition({ op }: Operation): OperationDefinition<OperationName> {
  return definitions[op] as OperationDefinition<OperationName>
}
