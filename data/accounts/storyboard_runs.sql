-- Runs of storyboards against agents, and who requested them; the last 500 of each agent.
-- takedown: deletes by agent_url
create table if not exists storyboard_runs (
  -- id of the run
  run_id varchar not null,
  -- run, or compare, which does not affect results
  kind varchar not null,
  -- the agent that was tested
  agent_url varchar not null,
  -- the storyboard
  storyboard_id varchar not null,
  -- organization that enrolled the agent
  org_id varchar not null,
  -- key or person that requested it; deleted later
  requested_by varchar,
  -- time at which the run began
  tested_at timestamptz not null,
  -- duration
  duration_ms double not null,
  -- passing, partial, failing or untested
  status varchar not null,
  -- steps that were answered as expected
  steps_passed uinteger not null,
  -- steps that were run
  steps_total uinteger not null,
  -- steps that were not answered as expected
  failure_count uinteger not null,
  -- steps that were not run
  skipped_count uinteger not null,
  -- first step that failed
  first_failed_step_id varchar,
  -- title of that step
  first_failed_step_title varchar,
  -- task that this step called
  first_failed_step_task varchar,
  -- first failure, in one line
  first_failure_message varchar,
  -- status of the reference agent; for comparisons only
  reference_status varchar,
  -- steps in which both differ; for comparisons only
  differing_steps json,
  -- commit that wrote the row
  seq bigint not null
);
create index if not exists storyboard_runs_by_agent_url_tested_at on storyboard_runs (agent_url, tested_at);
create index if not exists storyboard_runs_by_seq on storyboard_runs (seq);
