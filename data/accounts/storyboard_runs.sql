create table if not exists storyboard_runs (
  run_id varchar not null,
  kind varchar not null,
  agent_url varchar not null,
  storyboard_id varchar not null,
  org_id varchar not null,
  requested_by varchar,
  tested_at timestamptz not null,
  duration_ms double not null,
  status varchar not null,
  steps_passed uinteger not null,
  steps_total uinteger not null,
  failure_count uinteger not null,
  skipped_count uinteger not null,
  first_failed_step_id varchar,
  first_failed_step_title varchar,
  first_failed_step_task varchar,
  first_failure_message varchar,
  reference_status varchar,
  differing_steps json,
  seq bigint not null
);
comment on table storyboard_runs is 'Runs of storyboards against agents, and who requested them; the last 500 of each agent.';
comment on column storyboard_runs.run_id is 'id of the run';
comment on column storyboard_runs.kind is 'run, or compare, which does not affect results';
comment on column storyboard_runs.agent_url is 'the agent that was tested';
comment on column storyboard_runs.storyboard_id is 'the storyboard';
comment on column storyboard_runs.org_id is 'organization that enrolled the agent';
comment on column storyboard_runs.requested_by is 'key or person that requested it; deleted later';
comment on column storyboard_runs.tested_at is 'time at which the run began';
comment on column storyboard_runs.duration_ms is 'duration';
comment on column storyboard_runs.status is 'passing, partial, failing or untested';
comment on column storyboard_runs.steps_passed is 'steps that were answered as expected';
comment on column storyboard_runs.steps_total is 'steps that were run';
comment on column storyboard_runs.failure_count is 'steps that were not answered as expected';
comment on column storyboard_runs.skipped_count is 'steps that were not run';
comment on column storyboard_runs.first_failed_step_id is 'first step that failed';
comment on column storyboard_runs.first_failed_step_title is 'title of that step';
comment on column storyboard_runs.first_failed_step_task is 'task that this step called';
comment on column storyboard_runs.first_failure_message is 'first failure, in one line';
comment on column storyboard_runs.reference_status is 'status of the reference agent; for comparisons only';
comment on column storyboard_runs.differing_steps is 'steps in which both differ; for comparisons only';
comment on column storyboard_runs.seq is 'commit that wrote the row';
