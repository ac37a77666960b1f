create table if not exists origins (
  domain varchar not null,
  org_id varchar,
  claim varchar,
  verified_at timestamptz,
  checked_at timestamptz,
  seq bigint not null
);
comment on table origins is 'Domains that were claimed for their hosted file, or checked for a pointer to it.';
comment on column origins.domain is 'domain of the publisher';
comment on column origins.org_id is 'organization whose claim the pointer carried';
comment on column origins.claim is 'SHA-256 of that claim, hex';
comment on column origins.verified_at is 'time since which it points to its hosted file; null while it does not';
comment on column origins.checked_at is 'time of the last check';
comment on column origins.seq is 'commit that last touched the row';
