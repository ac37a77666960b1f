create table if not exists origin_claims (
  domain varchar not null,
  org_id varchar not null,
  claim varchar not null,
  claimed_at timestamptz not null,
  seq bigint not null
);
comment on table origin_claims is 'Claims that are open: a domain becomes the organization''s whose claim its pointer carries.';
comment on column origin_claims.domain is 'the publisher''s';
comment on column origin_claims.org_id is 'who claims it; each organization has one claim of a domain, the last one';
comment on column origin_claims.claim is 'SHA-256 of the claim, hex';
comment on column origin_claims.claimed_at is 'when it was made';
comment on column origin_claims.seq is 'commit that made it';
