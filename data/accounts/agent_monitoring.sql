-- Settings of organizations for the tests of their agents; an agent without a row is tested as usual.
-- takedown: deletes by agent_url
create table if not exists agent_monitoring (
  -- key of the agent
  agent_url varchar not null primary key,
  -- organization that last changed them
  org_id varchar not null,
  -- development, testing, production or deprecated
  lifecycle_stage varchar not null,
  -- whether the agent is not tested and its results are hidden
  is_opted_out boolean not null,
  -- whether an opt-out requires a full run before the next badge
  needs_requalification boolean not null,
  -- number of opt-outs so far
  generation uinteger not null,
  -- time since which no run is scheduled
  paused_at timestamptz,
  -- hours between scheduled runs
  interval_hours usmallint not null,
  -- time at which its organization last requested a run at once
  requeued_at timestamptz,
  -- first change
  created_at timestamptz not null,
  -- last change
  updated_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists agent_monitoring_by_seq on agent_monitoring (seq);
