create table if not exists agent_monitoring (
  agent_url varchar not null,
  org_id varchar not null,
  lifecycle_stage varchar not null,
  is_opted_out boolean not null,
  needs_requalification boolean not null,
  generation uinteger not null,
  paused_at timestamptz,
  interval_hours usmallint not null,
  requeued_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table agent_monitoring is 'Settings of organizations for the tests of their agents; an agent without a row is tested as usual.';
comment on column agent_monitoring.agent_url is 'key of the agent';
comment on column agent_monitoring.org_id is 'organization that last changed them';
comment on column agent_monitoring.lifecycle_stage is 'development, testing, production or deprecated';
comment on column agent_monitoring.is_opted_out is 'whether the agent is not tested and its results are hidden';
comment on column agent_monitoring.needs_requalification is 'whether an opt-out requires a full run before the next badge';
comment on column agent_monitoring.generation is 'number of opt-outs so far';
comment on column agent_monitoring.paused_at is 'time since which no run is scheduled';
comment on column agent_monitoring.interval_hours is 'hours between scheduled runs';
comment on column agent_monitoring.requeued_at is 'time at which its organization last requested a run at once';
comment on column agent_monitoring.created_at is 'first change';
comment on column agent_monitoring.updated_at is 'last change';
comment on column agent_monitoring.seq is 'commit that last touched the row';
