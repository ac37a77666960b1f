import type { Operation } from '../operation/operation.ts'
import {
  drawAgentBadge,
  drawPinnedBadge,
  embedAgentBadge,
  embedPinnedBadge,
  readVerification,
} from './agents/agent-badges.ts'
import {
  readCompliance,
  readComplianceHistory,
  readStoryboardStatus,
  readStoryboardStatusBulk,
} from './agents/agent-compliance.ts'
import {
  connectAgent,
  disconnectAgent,
  readAuthStatus,
  saveClientCredentials,
  testClientCredentials,
} from './agents/agent-credentials.ts'
import {
  pauseMonitoring,
  readDiagnostics,
  readMonitoring,
  readRequests,
  requeueMonitoring,
  setLifecycle,
  setMonitoringInterval,
  setOptOut,
} from './agents/agent-monitoring.ts'
import { searchForAgents } from './agents/agent-search.ts'
import {
  listAgentStoryboards,
  runAgentStep,
  runAgentStoryboard,
} from './agents/agent-storyboards.ts'
import { listAgents } from './agents/agents.ts'
import { checkBadgeToken, signAgentBadge } from './agents/badge-tokens.ts'
import { cancelComparison, compareStoryboard, readComparison } from './agents/comparisons.ts'
import {
  discoverAgent,
  readAgentFormats,
  readAgentProducts,
  readAgentPublishers,
} from './agents/probing.ts'
import { refreshAgent } from './agents/refresh.ts'
import { listAllStoryboards, readFirstStep, readStoryboard } from './agents/storyboards.ts'
import { listAnswerSchemas, readAnswerSchema } from './answer-schemas.ts'
import { listAgentPublishers, listAgentPublishersAlias } from './authorization/agent-publishers.ts'
import { lookUpAgentDomains, lookUpProperty } from './authorization/authorization-lookups.ts'
import { listAuthorizations, snapshotAuthorizations } from './authorization/authorizations.ts'
import { authorizeInBulk } from './authorization/bulk-authorization.ts'
import { authorizeProduct, expandProduct } from './authorization/product-authorization.ts'
import { authorizeProperty } from './authorization/property-authorization.ts'
import { authorizePublisher } from './authorization/publisher-authorization.ts'
import { setUpBrand, submitBrand } from './brands/brand-setup.ts'
import {
  listRegisteredBrands,
  readBrandJson,
  resolveBrand,
  resolveBrandsBulk,
} from './brands/brands.ts'
import { enrichBrand } from './brands/enrich.ts'
import { listLogos, readLogo, saveLogo } from './brands/logos.ts'
import { brandHistory, propertyHistory } from './community/history.ts'
import {
  claimHostedDomain,
  readHostedAdagents,
  readHostedBrand,
  verifyHostedOrigin,
} from './community/hosted.ts'
import {
  approveMirrorProposal,
  listMirrorProposals,
  readMirrorProposal,
  rejectMirrorProposal,
} from './community/mirror-proposals.ts'
import {
  deleteCommunityMirror,
  listCommunityMirrors,
  putCommunityMirror,
  readCommunityMirror,
} from './community/mirrors.ts'
import { issueOwnershipChallenge, readOwnership, verifyOwnership } from './community/ownership.ts'
import {
  listRegisteredPolicies,
  policyHistory,
  resolvePoliciesBulk,
  resolvePolicy,
  savePolicy,
} from './community/policies.ts'
import { approveReview, listPendingReviews, readReview, rejectReview } from './community/reviews.ts'
import {
  listBrandRevisions,
  listPropertyRevisions,
  readBrandRevision,
  readPropertyRevision,
} from './community/revisions.ts'
import { rollBackBrand, rollBackProperty } from './community/rollbacks.ts'
import { saveBrand, saveProperty } from './community/saves.ts'
import { withdrawBrand, withdrawProperties } from './community/withdrawals.ts'
import {
  readCrawlRequest,
  requestBrandCrawl,
  requestCrawl,
  requestManagerRevalidation,
} from './crawl.ts'
import { proveConsistency, proveInclusion, readLogCheckpoint } from './event-log.ts'
import { readFeed, streamFeed } from './feed.ts'
import { lookUpDomain, lookUpPublisher, registryStats } from './lookups.ts'
import { lookUpManifest } from './manifests.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './members/api-keys.ts'
import { readAudit } from './members/audit.ts'
import { takeBillingEvent } from './members/billing.ts'
import {
  addOwnDomain,
  listOwnDomains,
  readBrandOwnership,
  verifyOwnDomain,
} from './members/domains.ts'
import {
  acceptInvitation,
  createInvitation,
  listPendingInvitations,
  revokeInvitation,
} from './members/invitations.ts'
import { describeAuthorizationServer, protectedResources } from './members/oauth.ts'
import { createOrganization } from './members/organizations.ts'
import {
  changeOwnAgent,
  enrolOwnAgent,
  listOwnAgents,
  removeOwnAgent,
} from './members/own-agents.ts'
import { changeMember, listMembers, listOrganizations, removeMember } from './members/people.ts'
import { createOwnProfile } from './members/profile.ts'
import { readOrganizationUsage } from './members/usage.ts'
import { changeWatch, createWatch, deleteWatch, listOwnWatches } from './members/watches.ts'
import { lookUpOperator } from './operators.ts'
import {
  listCatalog,
  listCatalogCollections,
  syncCatalog,
  syncCatalogCollections,
} from './properties/catalog.ts'
import { fileCatalogDispute, readCatalogDispute } from './properties/disputes.ts'
import {
  listRegisteredProperties,
  resolvePropertiesBulk,
  resolveProperty,
} from './properties/properties.ts'
import {
  checkIdentifierList,
  checkPropertyList,
  readIdentifierCheck,
  readPropertyCheck,
} from './properties/property-checks.ts'
import { resolveIdentifiers } from './properties/resolve-identifiers.ts'
import { listRegisteredPublishers } from './publishers.ts'
import { forceBrandCrawl, revalidatePublisher } from './revalidation.ts'
import { findBrandsByName, searchRegistry } from './search.ts'
import { describeSecurityContact } from './security-contact.ts'
import { createSubscription } from './subscriptions/create-subscription.ts'
import { resumeSubscription, testSubscription } from './subscriptions/receiver-posts.ts'
import {
  deleteSubscription,
  listDeliveries,
  listOwnSubscriptions,
  readSubscription,
} from './subscriptions/subscriptions.ts'
import {
  createAdagentsFile,
  validateAdagents,
  validateProperty,
  validatePublisher,
} from './validation.ts'
import {
  apiCatalog,
  asyncapiDocument,
  describeBadgeKeys,
  describeCrawlerKeys,
  describeRegistry,
  describeRegistryKeys,
  isAlive,
  isReady,
  mcpServer,
  openapiDocuments,
} from './well-known.ts'

/** Every endpoint. */
export const operations: readonly Operation[] = [
  resolveBrand,
  resolveBrandsBulk,
  readBrandJson,
  listRegisteredBrands,
  findBrandsByName,
  enrichBrand,
  brandHistory,
  listBrandRevisions,
  readBrandRevision,
  readBrandOwnership,
  saveBrand,
  rollBackBrand,
  withdrawBrand,
  submitBrand,
  setUpBrand,
  listLogos,
  saveLogo,
  readLogo,
  resolveProperty,
  resolvePropertiesBulk,
  listRegisteredProperties,
  propertyHistory,
  listPropertyRevisions,
  readPropertyRevision,
  saveProperty,
  rollBackProperty,
  withdrawProperties,
  readHostedAdagents,
  readHostedBrand,
  claimHostedDomain,
  verifyHostedOrigin,
  resolveIdentifiers,
  fileCatalogDispute,
  readCatalogDispute,
  listCatalog,
  syncCatalog,
  listCatalogCollections,
  syncCatalogCollections,
  searchForAgents,
  listAgents,
  listRegisteredPublishers,
  registryStats,
  requestCrawl,
  readCrawlRequest,
  requestBrandCrawl,
  requestManagerRevalidation,
  revalidatePublisher,
  forceBrandCrawl,
  readFeed,
  streamFeed,
  readLogCheckpoint,
  proveInclusion,
  proveConsistency,
  createSubscription,
  listOwnSubscriptions,
  readSubscription,
  deleteSubscription,
  resumeSubscription,
  testSubscription,
  listDeliveries,
  listOwnWatches,
  createWatch,
  changeWatch,
  deleteWatch,
  issueOwnershipChallenge,
  verifyOwnership,
  readOwnership,
  lookUpOperator,
  lookUpPublisher,
  lookUpDomain,
  listAuthorizations,
  snapshotAuthorizations,
  lookUpManifest,
  authorizePublisher,
  listAgentPublishers,
  listAgentPublishersAlias,
  lookUpProperty,
  lookUpAgentDomains,
  authorizeProduct,
  expandProduct,
  authorizeProperty,
  authorizeInBulk,
  searchRegistry,
  validateProperty,
  checkPropertyList,
  readPropertyCheck,
  checkIdentifierList,
  readIdentifierCheck,
  validateAdagents,
  createAdagentsFile,
  discoverAgent,
  readAgentFormats,
  readAgentProducts,
  readAgentPublishers,
  validatePublisher,
  listCommunityMirrors,
  readCommunityMirror,
  putCommunityMirror,
  deleteCommunityMirror,
  listMirrorProposals,
  readMirrorProposal,
  approveMirrorProposal,
  rejectMirrorProposal,
  listPendingReviews,
  readReview,
  approveReview,
  rejectReview,
  compareStoryboard,
  readComparison,
  cancelComparison,
  runAgentStoryboard,
  runAgentStep,
  listAgentStoryboards,
  readCompliance,
  readComplianceHistory,
  readDiagnostics,
  readStoryboardStatus,
  readStoryboardStatusBulk,
  readVerification,
  drawAgentBadge,
  drawPinnedBadge,
  embedAgentBadge,
  embedPinnedBadge,
  signAgentBadge,
  checkBadgeToken,
  setLifecycle,
  setOptOut,
  readMonitoring,
  pauseMonitoring,
  setMonitoringInterval,
  requeueMonitoring,
  readAuthStatus,
  connectAgent,
  disconnectAgent,
  saveClientCredentials,
  testClientCredentials,
  readRequests,
  refreshAgent,
  listAllStoryboards,
  readFirstStep,
  readStoryboard,
  listRegisteredPolicies,
  resolvePolicy,
  resolvePoliciesBulk,
  policyHistory,
  savePolicy,
  createOrganization,
  createOwnProfile,
  listOwnDomains,
  addOwnDomain,
  verifyOwnDomain,
  listOwnAgents,
  enrolOwnAgent,
  changeOwnAgent,
  removeOwnAgent,
  takeBillingEvent,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listOrganizations,
  listMembers,
  changeMember,
  removeMember,
  listPendingInvitations,
  createInvitation,
  revokeInvitation,
  acceptInvitation,
  readAudit,
  readOrganizationUsage,
  describeRegistry,
  apiCatalog,
  mcpServer,
  asyncapiDocument,
  ...openapiDocuments,
  listAnswerSchemas,
  readAnswerSchema,
  describeSecurityContact,
  describeCrawlerKeys,
  describeBadgeKeys,
  describeRegistryKeys,
  describeAuthorizationServer,
  ...protectedResources,
  isAlive,
  isReady,
]
