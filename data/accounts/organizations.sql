create table if not exists organizations (
  org_id varchar not null,
  name varchar not null,
  created_at timestamptz not null,
  seq bigint not null
);
