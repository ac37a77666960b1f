-- key: agent_url
-- takedown: deletes by agent_url
create table if not exists agent_standings (
  agent_url varchar not null,
  status varchar not null, -- published as enum agent_status
  lifecycle_stage varchar not null, -- published as enum lifecycle_stage
  headline varchar,
  tracks json not null,
  storyboards_passing uinteger not null,
  storyboards_total uinteger not null,
  storyboards json not null, -- published as struct(storyboard_id varchar, track varchar, status varchar, steps_passed uinteger, steps_total uinteger)[]
  streak_days uinteger not null,
  last_checked_at timestamptz,
  badges json not null, -- published as struct(role varchar, adcp_version varchar, verified_specialisms varchar[])[]
  seq bigint not null
);
comment on table agent_standings is 'Test results of agents whose owners made them public.';
comment on column agent_standings.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_standings.status is 'passing, degraded, failing, unknown or opted_out';
comment on column agent_standings.lifecycle_stage is 'development, testing, production or deprecated';
comment on column agent_standings.headline is 'the result in one line; null before the first run';
comment on column agent_standings.tracks is 'results by track, that is by part of the protocol';
comment on column agent_standings.storyboards_passing is 'number of storyboards that passed';
comment on column agent_standings.storyboards_total is 'number of storyboards with a result';
comment on column agent_standings.storyboards is 'last result of each storyboard';
comment on column agent_standings.streak_days is 'number of whole days in which every run passed';
comment on column agent_standings.last_checked_at is 'last run (UTC); null before the first';
comment on column agent_standings.badges is 'badges of the agent: role, version and specialisms';
comment on column agent_standings.seq is 'commit that last touched the row';
