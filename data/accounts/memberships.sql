-- Persons in organizations.
-- takedown: keeps, since it names no domain
create table if not exists memberships (
  -- subject of their tokens, hashed where it may be an address
  user_id varchar not null,
  -- the organization
  org_id varchar not null,
  -- owner, admin, member or viewer; the first two manage its keys and people, the last only reads
  role varchar not null,
  -- time since which; of several organizations, the one joined first counts
  joined_at timestamptz not null,
  -- time since which no longer
  removed_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists memberships_by_org_id on memberships (org_id);
create index if not exists memberships_by_user_id on memberships (user_id);
create index if not exists memberships_by_seq on memberships (seq);
