/**
 * Selects all proofs: those that members gave and those that operators entered. A mailbox at a
 * domain is no proof, since its owner need not control the domain.
 */
export const PROOFS = `(
  select org_id, domain, method, verified_at, withdrawn_at is not null as is_over
  from ownership_proofs
  union all
  select org_id, domain, proof, verified_at, proof = 'email' from verified_domains)`
