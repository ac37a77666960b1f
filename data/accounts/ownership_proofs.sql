-- Last proofs of organizations that they control a domain.
-- takedown: deletes by domain
create table if not exists ownership_proofs (
  -- organization that proved it
  org_id varchar not null,
  -- the domain; those below it are covered too
  domain varchar not null,
  -- dns_txt, http or pointer; for withdrawn ones also operator or email
  method varchar not null,
  -- time of the check
  verified_at timestamptz not null,
  -- time at which the organization lost the domain: it was removed, or another one proved it; it proves nothing since
  withdrawn_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists ownership_proofs_by_org_id_domain on ownership_proofs (org_id, domain);
create index if not exists ownership_proofs_by_domain on ownership_proofs (domain);
create index if not exists ownership_proofs_by_seq on ownership_proofs (seq);
