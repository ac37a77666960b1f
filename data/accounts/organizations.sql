create table if not exists organizations (
  org_id varchar not null,
  name varchar not null,
  membership_tier varchar,
  created_at timestamptz not null,
  seq bigint not null
);
