-- Scheduled runs of all storyboards that apply to an agent; the last 100 of each agent.
-- takedown: deletes by agent_url
create table if not exists compliance_runs (
  -- id of the run
  run_id varchar not null,
  -- the agent that was tested
  agent_url varchar not null,
  -- organization that is responsible for the agent
  org_id varchar not null,
  -- passing, partial or failing; unknown if the agent requires a credential
  overall_status varchar not null,
  -- the result in one line
  headline varchar,
  -- results by part of the protocol
  tracks json not null,
  -- storyboards that passed
  storyboards_passing uinteger not null,
  -- storyboards that could be judged
  storyboards_total uinteger not null,
  -- duration
  duration_ms double not null,
  -- time at which it began
  tested_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists compliance_runs_by_agent_url_tested_at on compliance_runs (agent_url, tested_at);
create index if not exists compliance_runs_by_seq on compliance_runs (seq);
