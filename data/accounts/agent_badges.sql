create table if not exists agent_badges (
  agent_url varchar not null,
  role varchar not null,
  adcp_version varchar not null,
  state varchar not null,
  verified_specialisms json not null,
  verified_at timestamptz not null,
  degraded_at timestamptz,
  expires_at timestamptz not null,
  revoked_for varchar,
  seq bigint not null
);
comment on table agent_badges is 'Badges that agents have, and the last lost badge of each role.';
comment on column agent_badges.agent_url is 'key of the agent';
comment on column agent_badges.role is 'part of the protocol that it covers';
comment on column agent_badges.adcp_version is 'version of the protocol, as MAJOR.MINOR';
comment on column agent_badges.state is 'active, degraded or revoked';
comment on column agent_badges.verified_specialisms is 'specialisms that passed';
comment on column agent_badges.verified_at is 'time at which it was earned';
comment on column agent_badges.degraded_at is 'time since which its storyboards fail';
comment on column agent_badges.expires_at is 'time at which it expires unless a full run passes before';
comment on column agent_badges.revoked_for is 'reason why it was lost';
comment on column agent_badges.seq is 'commit that last touched the row';
