create table if not exists ownership_proofs (
  org_id varchar not null,
  domain varchar not null,
  method varchar not null,
  verified_at timestamptz not null,
  withdrawn_at timestamptz,
  seq bigint not null
);
comment on table ownership_proofs is 'Last proofs of organizations that they control a domain.';
comment on column ownership_proofs.org_id is 'organization that proved it';
comment on column ownership_proofs.domain is 'the domain; those below it are covered too';
comment on column ownership_proofs.method is 'dns_txt, http or pointer; for withdrawn ones also operator or email';
comment on column ownership_proofs.verified_at is 'time of the check';
comment on column ownership_proofs.withdrawn_at is 'time at which the operator took the domain from the organization; it proves nothing since';
comment on column ownership_proofs.seq is 'commit that last touched the row';
