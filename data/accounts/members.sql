-- Profiles of the organizations that are members; of a deleted one a row without names stays.
-- takedown: keeps, since a profile holds no domain
create table if not exists members (
  -- the organization
  org_id varchar not null primary key,
  -- its name in addresses, which is unique
  slug varchar not null,
  -- its name for people
  display_name varchar not null,
  -- whether it is a founding member
  is_founding boolean not null,
  -- whether others see that its domains are a member's
  is_public boolean not null,
  -- time at which it became a member
  created_at timestamptz not null,
  -- commit that last touched the profile, its agents, its domains or its tier
  seq bigint not null
);
create index if not exists members_by_slug on members (slug);
create index if not exists members_by_seq on members (seq);
