-- Open claims: a domain is assigned to the organization whose claim its pointer carries.
-- takedown: deletes by domain
create table if not exists origin_claims (
  -- domain of the publisher
  domain varchar not null,
  -- organization that claims it; each has one claim of a domain, the last one
  org_id varchar not null,
  -- SHA-256 of the claim, hex
  claim varchar not null,
  -- time of the claim
  claimed_at timestamptz not null,
  -- commit that made it
  seq bigint not null
);
create index if not exists origin_claims_by_domain on origin_claims (domain);
create index if not exists origin_claims_by_seq on origin_claims (seq);
