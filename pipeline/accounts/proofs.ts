import { DAY, type Instant, toIso } from '../core/clock.ts'
import { listSelfAndParents } from '../core/domain.ts'
import { limits } from '../core/limits.ts'
import type { DomainProof } from '../model/accounts/member.ts'
import type { ShownBy, StoredHolder, StoredProof } from '../model/ownership.ts'
import { type Database, type Parameters, toListExpression } from '../store/duckdb.ts'
import { touchMember } from './members.ts'
import type { AccountStamp } from './stamp.ts'

/** Proof that an organization controls a domain; null if it was withdrawn. */
export interface ProofRow {
  org_id: string
  domain: string
  proof: StoredProof | null
}

/**
 * Selects all proofs: those that members gave and those that operators entered. A mailbox at a
 * domain is no proof, since its owner need not control the domain.
 */
const PROOFS = `(
  select org_id, domain, method, verified_at, withdrawn_at is not null as is_over, seq
  from ownership_proofs
  union all
  select org_id, domain, proof, verified_at, proof = 'email', seq from verified_domains)`

/**
 * Tells whether an organization has proven a domain, or one above it, at most `days` ago; an entry of
 * the operator never expires.
 */
export async function hasProof(
  db: Database,
  org_id: string,
  domain: string,
  now: Instant,
  days: number = limits.proofDays,
): Promise<boolean> {
  const { is_lasting, last } = await db.written.memo(
    `shown ${org_id} ${domain}`,
    '',
    ['ownership_proofs', 'verified_domains'],
    () => findLastProof(db, org_id, domain),
  )
  return is_lasting || (last !== null && last > now - days * DAY)
}

/** Finds the last proof, and whether it is permanent. */
async function findLastProof(
  db: Database,
  org_id: string,
  domain: string,
): Promise<{ is_lasting: boolean; last: Instant | null }> {
  const row = await db.oneOrThrow<{ is_lasting: boolean; last: Instant | null }>(
    `select coalesce(bool_or(method = 'operator'), false) as is_lasting,
       epoch_ms(max(verified_at))::double as last
     from ${PROOFS} where org_id = $org_id and not is_over
       and domain in (select unnest(${toListExpression('$domains')}))`,
    { org_id, domains: JSON.stringify(listSelfAndParents(domain)) },
  )
  return row
}

interface NewProof {
  org_id: string
  domain: string
  method: ShownBy
}

/** Records a proof. A domain without a holder becomes the organization's. */
export async function recordProof(
  db: Database,
  { org_id, domain, method }: NewProof,
  { now, seq }: AccountStamp,
): Promise<void> {
  const verified_at = toIso(now)
  await deleteProofs(db, org_id, domain)
  await db.insert('ownership_proofs', [{ org_id, domain, method, verified_at, seq }])
  const holder = await db.one<{ org_id: string; proof: DomainProof }>(
    'select org_id, proof from verified_domains where domain = $domain',
    { domain },
  )
  if (holder && (holder.org_id !== org_id || holder.proof === 'operator')) return
  await db.write('delete from', 'verified_domains', 'where domain = $domain', { domain })
  await db.insert('verified_domains', [{ org_id, domain, proof: method, verified_at, seq }])
  await touchMember(db, org_id, seq)
}

/** Withdraws the proof of a domain that is removed from an organization. */
export async function withdrawProof(
  db: Database,
  { org_id, domain, proof }: { org_id: string; domain: string; proof: DomainProof },
  { now, seq }: AccountStamp,
): Promise<void> {
  await deleteProofs(db, org_id, domain)
  const at = toIso(now)
  const row = { org_id, domain, method: proof, verified_at: at, withdrawn_at: at, seq }
  await db.insert('ownership_proofs', [row])
}

/**
 * Loads the best proof of each organization and domain that a condition selects: a permanent one, else the
 * last.
 */
export async function loadProofRows(
  db: Database,
  where: string,
  parameters: Parameters,
): Promise<ProofRow[]> {
  const rows = await db.all<Omit<ProofRow, 'proof'> & StoredProof & { is_over: boolean }>(
    `select org_id, domain, method, verified_at, is_over from ${PROOFS}
     where (org_id, domain) in (select org_id, domain from ${PROOFS} where ${where})
     qualify row_number() over (partition by org_id, domain
       order by is_over, method != 'operator', verified_at desc) = 1
     order by org_id, domain`,
    parameters,
  )
  return rows.map(({ org_id, domain, is_over, method, verified_at }) => ({
    org_id,
    domain,
    proof: is_over ? null : { method, verified_at },
  }))
}

async function deleteProofs(db: Database, org_id: string, domain: string): Promise<void> {
  const which = { org_id, domain }
  await db.write(
    'delete from',
    'ownership_proofs',
    'where org_id = $org_id and domain = $domain',
    which,
  )
}

/** Loads the holders of these domains; domains without a holder are left out. */
export async function loadHolders(
  db: Database,
  domains: readonly string[],
): Promise<Map<string, StoredHolder>> {
  if (domains.length === 0) return new Map()
  const rows = await db.all<StoredHolder & { domain: string }>(
    `select domain, org_id, proof, verified_at from verified_domains
     where domain in (select unnest(${toListExpression('$domains')}))`,
    { domains: JSON.stringify(domains) },
  )
  return new Map(rows.map(({ domain, ...holder }) => [domain, holder]))
}
