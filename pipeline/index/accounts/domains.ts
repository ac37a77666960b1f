import { isoOf } from '../../core/clock.ts'
import type { DomainProof } from '../../model/member.ts'
import type { Answer, OperationOf } from '../../model/submission.ts'
import type { Database } from '../duckdb.ts'
import { touchMember } from './members.ts'
import { noOrganization, organizationNamed } from './organizations.ts'
import { withdrawProof } from './proofs.ts'
import type { Stamp } from './stamp.ts'

/** A domain is of the organization that verified it first, until that one gives it up. */
export async function addDomain(
  db: Database,
  { org, domain, proof }: OperationOf<'organization.domain.add'>,
  { now, seq }: Stamp,
): Promise<Answer> {
  const owner = await organizationNamed(db, org)
  if (!owner) return noOrganization(org)
  const { org_id } = owner
  const holder = await db.one<{ org_id: string }>(
    'select org_id from verified_domains where domain = $domain',
    { domain },
  )
  if (holder && holder.org_id !== org_id) {
    return { refused: `${domain} is another organization’s`, error: 'conflict' }
  }
  await db.run('delete from verified_domains where domain = $domain', { domain })
  await db.insert('verified_domains', [{ org_id, domain, proof, verified_at: isoOf(now), seq }])
  await touchMember(db, org_id, seq)
  return { done: { org_id, domain, proof } }
}

/** What the organization showed of the domain before counts no more. */
export async function removeDomain(
  db: Database,
  { org, domain }: OperationOf<'organization.domain.remove'>,
  stamp: Stamp,
): Promise<Answer> {
  const owner = await organizationNamed(db, org)
  if (!owner) return noOrganization(org)
  const { org_id, name } = owner
  const which = { org_id, domain }
  const held = await db.one<{ proof: DomainProof }>(
    'select proof from verified_domains where org_id = $org_id and domain = $domain',
    which,
  )
  if (!held) return { refused: `${name} has not verified ${domain}`, error: 'not_found' }
  await db.run('delete from verified_domains where org_id = $org_id and domain = $domain', which)
  await withdrawProof(db, { ...which, proof: held.proof }, stamp)
  await touchMember(db, org_id, stamp.seq)
  return { done: { org_id, domain } }
}
