create table if not exists roles (
  holder varchar not null,
  id varchar not null,
  role varchar not null,
  granted_at timestamptz not null,
  revoked_at timestamptz,
  seq bigint not null
);
comment on table roles is 'Roles that keys and people have beyond their organization.';
comment on column roles.holder is 'key or user';
comment on column roles.id is 'id of the key, or the subject of the person''s tokens';
comment on column roles.role is 'moderator or admin';
comment on column roles.granted_at is 'time at which it was granted';
comment on column roles.revoked_at is 'time at which the role was revoked; null while it is in force';
comment on column roles.seq is 'commit that last touched the row';
