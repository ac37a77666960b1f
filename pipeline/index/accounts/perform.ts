import type { Answer, Operation } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { takeBilling } from './billing.ts'
import { submitBrand } from './brand-submissions.ts'
import { fileDispute, recordContribution } from './catalog.ts'
import { issueChallenge, settleChallenge, takeChallenge } from './challenges.ts'
import { recordRequester } from './crawl-requests.ts'
import { addDomain, removeDomain } from './domains.ts'
import { recordSave } from './editors.ts'
import { enrolAgent } from './enrolling.ts'
import { foundOrganization } from './founding.ts'
import { setIssuer } from './issuers.ts'
import { saveLogo } from './logos.ts'
import { removeAgent, saveAgent } from './member-agents.ts'
import { createMember, setTier, updateMember } from './members.ts'
import { removeMembership, setMembership } from './memberships.ts'
import { proposeMirror, publishMirror, removeMirror } from './mirrors.ts'
import { createKey, createOrganization, revokeKey } from './organizations.ts'
import { claimOrigin, verifyOrigin } from './origins.ts'
import { publishPolicy, savePolicy } from './policies.ts'
import { decideReview } from './reviews.ts'
import { grantRole, revokeRole } from './roles.ts'
import type { Stamp } from './stamp.ts'
import { readmit, takeDown } from './taken-down.ts'

/** What an operation does to the accounts; what it does to the index alone only has an answer here. */
export async function perform(db: Database, operation: Operation, stamp: Stamp): Promise<Answer> {
  switch (operation.op) {
    case 'organization.create':
      return createOrganization(db, operation, stamp)
    case 'organization.domain.add':
      return addDomain(db, operation, stamp)
    case 'organization.domain.remove':
      return removeDomain(db, operation, stamp)
    case 'key.create':
      return createKey(db, operation, stamp)
    case 'key.revoke':
      return revokeKey(db, operation, stamp)
    case 'member.create':
      return createMember(db, operation, stamp)
    case 'member.update':
      return updateMember(db, operation, stamp)
    case 'member.tier':
      return setTier(db, operation, stamp)
    case 'member.agent.save':
      return saveAgent(db, operation, stamp)
    case 'member.agent.remove':
      return removeAgent(db, operation, stamp)
    case 'role.grant':
      return grantRole(db, operation, stamp)
    case 'role.revoke':
      return revokeRole(db, operation, stamp)
    case 'policy.save':
      return savePolicy(db, operation, stamp)
    case 'policy.publish':
      return publishPolicy(db, operation, stamp)
    case 'mirror.publish':
      return publishMirror(db, operation, stamp)
    case 'mirror.propose':
      return proposeMirror(db, operation, stamp)
    case 'mirror.remove':
      return removeMirror(db, operation, stamp)
    case 'property.contribute':
      return recordContribution(db, operation, stamp)
    case 'dispute.file':
      return fileDispute(db, operation, stamp)
    case 'review.approve':
    case 'review.reject':
      return decideReview(db, operation, stamp)
    case 'member.agent.enrol':
      return enrolAgent(db, operation, stamp)
    case 'member.billing':
      return takeBilling(db, operation, stamp)
    case 'organization.found':
      return foundOrganization(db, operation, stamp)
    case 'membership.set':
      return setMembership(db, operation, stamp)
    case 'membership.remove':
      return removeMembership(db, operation, stamp)
    case 'issuer.set':
      return setIssuer(db, operation, stamp)
    case 'ownership.issue':
      return issueChallenge(db, operation, stamp)
    case 'ownership.take':
      return takeChallenge(db, operation, stamp)
    case 'ownership.settle':
      return settleChallenge(db, operation, stamp)
    case 'origin.claim':
      return claimOrigin(db, operation, stamp)
    case 'origin.verify':
      return verifyOrigin(db, operation, stamp)
    case 'logo.save':
      return saveLogo(db, operation, stamp)
    case 'brand.submit':
      return submitBrand(db, operation, stamp)
    case 'crawl.request':
      return recordRequester(db, operation, stamp)
    case 'brand.save':
    case 'property.save':
    case 'entry.rollback':
      return recordSave(db, operation, stamp)
    case 'domain.takedown':
      return takeDown(db, operation, stamp)
    case 'domain.readmit':
      return readmit(db, operation)
    case 'audit.revert':
      return { refused: 'whoever writes puts what that comes to in its place' }
    case 'domains.add':
    case 'held.release':
    case 'held.drop':
      return { done: { domains: operation.domains.length } }
    case 'property.merge':
    case 'collection.merge': {
      const { alias_rid, canonical_rid } = operation
      return { done: { alias_rid, canonical_rid } }
    }
  }
}
