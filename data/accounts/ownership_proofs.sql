create table if not exists ownership_proofs (
  org_id varchar not null,
  domain varchar not null,
  method varchar not null,
  verified_at timestamptz not null,
  withdrawn_at timestamptz,
  seq bigint not null
);
comment on table ownership_proofs is 'When an organization last showed that it controls a domain.';
comment on column ownership_proofs.org_id is 'who showed it';
comment on column ownership_proofs.domain is 'the domain; those below it are covered too';
comment on column ownership_proofs.method is 'by what: dns_txt, http or pointer; of one that was withdrawn also operator or email';
comment on column ownership_proofs.verified_at is 'when it was checked';
comment on column ownership_proofs.withdrawn_at is 'when whoever runs the registry took the domain from the organization; it proves nothing since';
comment on column ownership_proofs.seq is 'commit that last touched the row';
