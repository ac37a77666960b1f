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
comment on table agent_monitoring is 'How organizations have their agents tested; an agent without a row is tested as usual.';
comment on column agent_monitoring.agent_url is 'key of the agent';
comment on column agent_monitoring.org_id is 'organization that said so last';
comment on column agent_monitoring.lifecycle_stage is 'development, testing, production or deprecated';
comment on column agent_monitoring.is_opted_out is 'nothing is tested or told of it';
comment on column agent_monitoring.needs_requalification is 'since an opt-out: no badge before a full run passed';
comment on column agent_monitoring.generation is 'number of opt-outs so far';
comment on column agent_monitoring.paused_at is 'since when no run is scheduled';
comment on column agent_monitoring.interval_hours is 'hours between scheduled runs';
comment on column agent_monitoring.requeued_at is 'when its organization last asked for the next run at once';
comment on column agent_monitoring.created_at is 'first said';
comment on column agent_monitoring.updated_at is 'last said';
comment on column agent_monitoring.seq is 'commit that last touched the row';
