-- Test results of agents, as of the last run.
-- takedown: deletes by agent_url
create table if not exists agent_compliance (
  -- key of the agent
  agent_url varchar not null primary key,
  -- passing, degraded, failing or unknown
  status varchar not null,
  -- time since which it has this status
  status_changed_at timestamptz,
  -- the result in one line
  headline varchar,
  -- last result of each storyboard that applies
  storyboards json not null,
  -- specialisms that the agent claims
  specialisms json not null,
  -- whether it speaks the version that badges are issued for
  supports_version boolean not null,
  -- last run
  last_checked_at timestamptz,
  -- last run that it passed
  last_passed_at timestamptz,
  -- last run that it failed
  last_failed_at timestamptz,
  -- time since which every run passed
  streak_started_at timestamptz,
  -- whole days for which every run passed
  streak_days uinteger not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists agent_compliance_by_seq on agent_compliance (seq);
