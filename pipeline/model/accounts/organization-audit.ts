import { z } from 'zod'
import type { Operation } from '../submission.ts'

/** Changes that the audit of an organization shows, each in the words of its page. */
export const auditedOperations = {
  'organization.found': 'Created the organization',
  'organization.create': 'Registered the organization',
  'organization.rename': 'Renamed the organization',
  'organization.domain.add': 'Added a domain',
  'organization.domain.remove': 'Removed a domain',
  'organization.domain.lose': 'Lost a domain that another organization has verified',
  'organization.domain.share': 'Another organization verified a domain of this one',
  'organization.domain.exclude': 'Ended what others have verified of a domain',
  'organization.domain.end': 'Another organization ended the verification of a domain',
  'membership.set': 'Set a role',
  'membership.remove': 'Removed a member',
  'membership.change': 'Changed a role',
  'membership.end': 'Removed a person',
  'membership.leave': 'Left the organization',
  'invitation.create': 'Invited a person',
  'invitation.revoke': 'Revoked an invitation',
  'invitation.accept': 'Accepted an invitation',
  'key.create': 'Created a key',
  'key.revoke': 'Revoked a key',
  'member.create': 'Became a member',
  'member.update': 'Changed the profile',
  'member.agent.enrol': 'Added an agent',
  'member.agent.save': 'Changed an agent',
  'member.agent.remove': 'Removed an agent',
  'agent.credential.save': 'Stored a credential of an agent',
  'agent.credential.remove': 'Deleted a credential of an agent',
  'ownership.issue': 'Started verifying a domain',
  'ownership.cancel': 'Canceled verifying a domain',
  'ownership.settle': 'Finished verifying a domain',
  'origin.claim': 'Claimed a hosted file',
  'origin.verify': 'Verified a hosted file',
  'subscription.create': 'Created a webhook',
  'subscription.change': 'Changed the filters of a webhook',
  'subscription.delete': 'Deleted a webhook',
  'subscription.resume': 'Resumed a webhook',
  'logo.save': 'Submitted a logo',
  'brand.submit': 'Submitted a brand',
  'brand.save': 'Saved a brand',
  'property.save': 'Saved an adagents.json',
  'entry.rollback': 'Restored a version',
} as const satisfies { readonly [Name in Operation['op']]?: string }
export type AuditedOperation = keyof typeof auditedOperations

/** Describes a change in the words of its page; a rollback to nothing ends an entry. */
export function describeChange(
  operation: AuditedOperation,
  facts: Readonly<Record<string, string>>,
): string {
  if (operation === 'entry.rollback' && facts.to_revision === '0') return 'Stopped hosting a file'
  if (facts.profile_auto_created) return 'Added an agent, which made the organization a member'
  if (operation === 'subscription.create' && facts.kind === 'audit')
    return 'Created a webhook for the audit log'
  return auditedOperations[operation]
}

/** Facts of a request that are shown with its change; nothing else of it leaves the accounts. */
export const auditedFacts = [
  'domain',
  'agent_url',
  'receiver',
  'label',
  'user_id',
  'key_id',
  'invitation_id',
  'role',
  'name',
  'visibility',
  'profile_auto_created',
  'entity',
  'to_revision',
  'kind',
] as const

/** A change of an organization as its audit shows it. */
export const StoredChange = z.object({
  id: z.string(),
  org_id: z.string(),
  at: z.string(),
  operation: z.string(),
  by_kind: z.enum(['key', 'user', 'command', 'registry']),
  by_id: z.string(),
  facts: z.record(z.string(), z.string()),
})
export type StoredChange = z.infer<typeof StoredChange>
