create table if not exists verified_domains (
  org_id varchar not null,
  domain varchar not null,
  proof varchar not null,
  verified_at timestamptz not null,
  seq bigint not null
);
comment on table verified_domains is 'Domains that organizations have proven to be theirs; each belongs to one.';
comment on column verified_domains.org_id is 'organization that owns the domain';
comment on column verified_domains.domain is 'the domain; its subdomains are included unless another organization has proven them';
comment on column verified_domains.proof is 'kind of proof: operator, dns_txt, http, pointer or email';
comment on column verified_domains.verified_at is 'time of the last proof';
comment on column verified_domains.seq is 'commit that last touched the row';
