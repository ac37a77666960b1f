-- Roles that keys and people have beyond their organization.
-- takedown: keeps, since it names no domain
create table if not exists roles (
  -- key or user
  holder varchar not null,
  -- id of the key or of the person
  id varchar not null,
  -- moderator or admin
  role varchar not null,
  -- time at which it was granted
  granted_at timestamptz not null,
  -- time at which the role was revoked; null while it is in force
  revoked_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists roles_by_holder_id on roles (holder, id);
create index if not exists roles_by_seq on roles (seq);
