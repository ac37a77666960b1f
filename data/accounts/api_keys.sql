create table if not exists api_keys (
  key_id varchar not null,
  org_id varchar not null,
  label varchar not null,
  permissions json not null,
  hash varchar not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  seq bigint not null
);
comment on table api_keys is 'Keys by which organizations call the API.';
comment on column api_keys.key_id is 'id of the caller in limits and histories';
comment on column api_keys.org_id is 'organization of the key';
comment on column api_keys.label is 'purpose of the key';
comment on column api_keys.permissions is 'admin:* manages keys, admin:read lists them; without either it only acts for its organization';
comment on column api_keys.hash is 'SHA-256 of the secret, hex; the secret is stored nowhere';
comment on column api_keys.created_at is 'time at which it was created';
comment on column api_keys.revoked_at is 'time since which it is refused';
comment on column api_keys.seq is 'commit that last touched the row';
