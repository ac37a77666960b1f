-- Domains that organizations have proven to be theirs; each belongs to one.
-- takedown: deletes by domain
create table if not exists verified_domains (
  -- organization that owns the domain
  org_id varchar not null,
  -- the domain; its subdomains are included unless another organization has proven them
  domain varchar not null primary key,
  -- kind of proof: operator, dns_txt, http, pointer or email
  proof varchar not null,
  -- time of the last proof
  verified_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists verified_domains_by_org_id on verified_domains (org_id);
create index if not exists verified_domains_by_seq on verified_domains (seq);
