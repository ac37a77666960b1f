create table if not exists origins (
  domain varchar not null,
  org_id varchar,
  claim varchar,
  verified_at timestamptz,
  checked_at timestamptz,
  seq bigint not null
);
comment on table origins is 'Domains that were claimed for their hosted file, or looked at whether they point to it.';
comment on column origins.domain is 'the publisher''s';
comment on column origins.org_id is 'whose it is: who had made the claim that its pointer carried';
comment on column origins.claim is 'SHA-256 of that claim, hex';
comment on column origins.verified_at is 'since when it points to its hosted file; none while it does not';
comment on column origins.checked_at is 'when it was looked at last';
comment on column origins.seq is 'commit that last touched the row';
