import type { Operation } from '../operation/operation.ts'
import { listAgentPublishers, listAgentPublishersAlias } from './agent-publishers.ts'
import { searchForAgents } from './agent-search.ts'
import { compareStoryboard } from './agent-storyboards.ts'
import { listAgents } from './agents.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { authorizePublisher } from './authorization.ts'
import { lookUpAgentDomains, lookUpProperty } from './authorization-lookups.ts'
import { listAuthorizations, snapshotAuthorizations } from './authorizations.ts'
import { takeBillingEvent } from './billing.ts'
import { setUpBrand, submitBrand } from './brand-setup.ts'
import { listRegisteredBrands, readBrandJson, resolveBrand, resolveBrandsBulk } from './brands.ts'
import {
  listCatalog,
  listCatalogCollections,
  syncCatalog,
  syncCatalogCollections,
} from './catalog.ts'
import {
  readCrawlRequest,
  requestBrandCrawl,
  requestCrawl,
  requestManagerRevalidation,
} from './crawl.ts'
import { fileCatalogDispute, readCatalogDispute } from './disputes.ts'
import { addOwnDomain, listOwnDomains, readBrandOwnership, verifyOwnDomain } from './domains.ts'
import { enrichBrand } from './enrich.ts'
import { readFeed, streamFeed } from './feed.ts'
import { brandHistory, propertyHistory } from './history.ts'
import {
  claimHostedDomain,
  readHostedAdagents,
  readHostedBrand,
  verifyHostedOrigin,
} from './hosted.ts'
import { listLogos, readLogo, saveLogo } from './logos.ts'
import { lookUpDomain, lookUpPublisher, registryStats } from './lookups.ts'
import { lookUpManifest } from './manifests.ts'
import {
  approveMirrorProposal,
  listMirrorProposals,
  readMirrorProposal,
  rejectMirrorProposal,
} from './mirror-proposals.ts'
import {
  deleteCommunityMirror,
  listCommunityMirrors,
  putCommunityMirror,
  readCommunityMirror,
} from './mirrors.ts'
import { describeAuthorizationServer, protectedResources } from './oauth.ts'
import { lookUpOperator } from './operators.ts'
import { createOrganization } from './organizations.ts'
import { changeOwnAgent, enrolOwnAgent, listOwnAgents, removeOwnAgent } from './own-agents.ts'
import { issueOwnershipChallenge, readOwnership, verifyOwnership } from './ownership.ts'
import {
  listRegisteredPolicies,
  policyHistory,
  resolvePoliciesBulk,
  resolvePolicy,
  savePolicy,
} from './policies.ts'
import {
  discoverAgent,
  readAgentFormats,
  readAgentProducts,
  readAgentPublishers,
} from './probing.ts'
import { authorizeProduct, expandProduct } from './product-authorization.ts'
import { listRegisteredProperties, resolvePropertiesBulk, resolveProperty } from './properties.ts'
import { authorizeProperty } from './property-authorization.ts'
import {
  checkIdentifierList,
  checkPropertyList,
  readIdentifierCheck,
  readPropertyCheck,
} from './property-checks.ts'
import { listRegisteredPublishers } from './publishers.ts'
import { resolveIdentifiers } from './resolve.ts'
import {
  listBrandRevisions,
  listPropertyRevisions,
  readBrandRevision,
  readPropertyRevision,
} from './revisions.ts'
import { rollBackBrand, rollBackProperty } from './rollbacks.ts'
import { saveBrand, saveProperty } from './saves.ts'
import { findBrandsByName, searchRegistry } from './search.ts'
import { listAllStoryboards, readStoryboard } from './storyboards.ts'
import {
  createAdagentsFile,
  validateAdagents,
  validateProperty,
  validatePublisher,
} from './validation.ts'
import {
  describeCrawlerKeys,
  describeRegistry,
  isAlive,
  isReady,
  openapiDocuments,
  readMetrics,
  referencePages,
  referenceScript,
} from './well-known.ts'

/** Every endpoint there is. */
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
  readFeed,
  streamFeed,
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
  compareStoryboard,
  listAllStoryboards,
  readStoryboard,
  listRegisteredPolicies,
  resolvePolicy,
  resolvePoliciesBulk,
  policyHistory,
  savePolicy,
  createOrganization,
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
  describeRegistry,
  ...openapiDocuments,
  ...referencePages,
  referenceScript,
  describeCrawlerKeys,
  describeAuthorizationServer,
  ...protectedResources,
  isAlive,
  isReady,
  readMetrics,
]
