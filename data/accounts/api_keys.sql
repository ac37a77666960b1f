-- Keys by which organizations call the API.
-- takedown: keeps, since it names no domain
create table if not exists api_keys (
  -- id of the caller in limits and histories
  key_id varchar not null,
  -- organization of the key
  org_id varchar not null,
  -- purpose of the key
  label varchar not null,
  -- admin:* manages keys, admin:read lists them, read changes nothing; without any it only acts for its organization
  permissions json not null,
  -- SHA-256 of the secret, hex; the secret is stored nowhere
  hash varchar not null,
  -- time at which it was created
  created_at timestamptz not null,
  -- time since which it is refused
  revoked_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists api_keys_by_key_id on api_keys (key_id);
create index if not exists api_keys_by_org_id on api_keys (org_id);
create index if not exists api_keys_by_hash on api_keys (hash);
create index if not exists api_keys_by_seq on api_keys (seq);
