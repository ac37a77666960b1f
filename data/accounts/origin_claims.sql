create table if not exists origin_claims (
  domain varchar not null,
  org_id varchar not null,
  claim varchar not null,
  claimed_at timestamptz not null,
  seq bigint not null
);
comment on table origin_claims is 'Open claims: a domain is assigned to the organization whose claim its pointer carries.';
comment on column origin_claims.domain is 'domain of the publisher';
comment on column origin_claims.org_id is 'organization that claims it; each has one claim of a domain, the last one';
comment on column origin_claims.claim is 'SHA-256 of the claim, hex';
comment on column origin_claims.claimed_at is 'time of the claim';
comment on column origin_claims.seq is 'commit that made it';
