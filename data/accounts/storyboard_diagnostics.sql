create table if not exists storyboard_diagnostics (
  run_id varchar not null,
  agent_url varchar not null,
  position uinteger not null,
  storyboard_id varchar not null,
  phase_id varchar not null,
  step_id varchar not null,
  task varchar not null,
  step_passed boolean,
  duration_ms double not null,
  error_text varchar,
  failed_validations json not null,
  captured_at timestamptz not null,
  seq bigint not null
);
comment on table storyboard_diagnostics is 'Steps of runs, shortened and without secrets; of the last five scheduled runs of each agent, and of its last five others.';
comment on column storyboard_diagnostics.run_id is 'the run';
comment on column storyboard_diagnostics.agent_url is 'the agent that was tested';
comment on column storyboard_diagnostics.position is 'number of the step in the run, from 1';
comment on column storyboard_diagnostics.storyboard_id is 'the storyboard';
comment on column storyboard_diagnostics.phase_id is 'the phase';
comment on column storyboard_diagnostics.step_id is 'the step';
comment on column storyboard_diagnostics.task is 'the task that was called';
comment on column storyboard_diagnostics.step_passed is 'whether it passed; null if it was not run';
comment on column storyboard_diagnostics.duration_ms is 'duration';
comment on column storyboard_diagnostics.error_text is 'reason why the agent gave no answer, or its refusal';
comment on column storyboard_diagnostics.failed_validations is 'checks that the answer failed';
comment on column storyboard_diagnostics.captured_at is 'time at which the run began';
comment on column storyboard_diagnostics.seq is 'commit that last touched the row';
