create table if not exists agent_compliance (
  agent_url varchar not null,
  status varchar not null,
  status_changed_at timestamptz,
  headline varchar,
  storyboards json not null,
  specialisms json not null,
  supports_version boolean not null,
  last_checked_at timestamptz,
  last_passed_at timestamptz,
  last_failed_at timestamptz,
  streak_started_at timestamptz,
  streak_days uinteger not null,
  seq bigint not null
);
comment on table agent_compliance is 'Test results of agents, as of the last run.';
comment on column agent_compliance.agent_url is 'key of the agent';
comment on column agent_compliance.status is 'passing, degraded, failing or unknown';
comment on column agent_compliance.status_changed_at is 'time since which it has this status';
comment on column agent_compliance.headline is 'the result in one line';
comment on column agent_compliance.storyboards is 'last result of each storyboard that applies';
comment on column agent_compliance.specialisms is 'specialisms that the agent claims';
comment on column agent_compliance.supports_version is 'whether it speaks the version that badges are issued for';
comment on column agent_compliance.last_checked_at is 'last run';
comment on column agent_compliance.last_passed_at is 'last run that it passed';
comment on column agent_compliance.last_failed_at is 'last run that it failed';
comment on column agent_compliance.streak_started_at is 'time since which every run passed';
comment on column agent_compliance.streak_days is 'whole days for which every run passed';
comment on column agent_compliance.seq is 'commit that last touched the row';
