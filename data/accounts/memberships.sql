create table if not exists memberships (
  user_id varchar not null,
  org_id varchar not null,
  role varchar not null,
  joined_at timestamptz not null,
  removed_at timestamptz,
  seq bigint not null
);
comment on table memberships is 'Persons in organizations.';
comment on column memberships.user_id is 'subject of their tokens, hashed where it may be an address';
comment on column memberships.org_id is 'the organization';
comment on column memberships.role is 'owner, admin, member or viewer; the first two manage its keys and people, the last only reads';
comment on column memberships.joined_at is 'time since which; of several organizations, the one joined first counts';
comment on column memberships.removed_at is 'time since which no longer';
comment on column memberships.seq is 'commit that last touched the row';
