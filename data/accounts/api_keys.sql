create table if not exists api_keys (
  key_id varchar not null,
  org_id varchar not null,
  label varchar not null,
  hash varchar not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  seq bigint not null
);
