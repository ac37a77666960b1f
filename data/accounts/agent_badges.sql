-- Badges that agents have, and the last lost badge of each role.
-- takedown: deletes by agent_url
create table if not exists agent_badges (
  -- key of the agent
  agent_url varchar not null,
  -- part of the protocol that it covers
  role varchar not null,
  -- version of the protocol, as MAJOR.MINOR
  adcp_version varchar not null,
  -- active, degraded or revoked
  state varchar not null,
  -- specialisms that passed
  verified_specialisms json not null,
  -- time at which it was earned
  verified_at timestamptz not null,
  -- time since which its storyboards fail
  degraded_at timestamptz,
  -- time at which it expires unless a full run passes before
  expires_at timestamptz not null,
  -- reason why it was lost
  revoked_for varchar,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists agent_badges_by_agent_url on agent_badges (agent_url);
create index if not exists agent_badges_by_seq on agent_badges (seq);
