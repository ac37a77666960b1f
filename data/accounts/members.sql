create table if not exists members (
  org_id varchar not null,
  slug varchar not null,
  display_name varchar not null,
  is_founding boolean not null,
  is_public boolean not null,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table members is 'Profiles of the organizations that are members.';
comment on column members.org_id is 'the organization';
comment on column members.slug is 'its name in addresses, which is unique';
comment on column members.display_name is 'its name for people';
comment on column members.is_founding is 'whether it is a founding member';
comment on column members.is_public is 'whether others see that its domains are a member''s';
comment on column members.created_at is 'time at which it became a member';
comment on column members.seq is 'commit that last touched the profile, its agents, its domains or its tier';
