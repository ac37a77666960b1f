-- Steps of runs, shortened and without secrets; of the last five scheduled runs of each agent, and of its last five others.
-- takedown: deletes by agent_url
create table if not exists storyboard_diagnostics (
  -- the run
  run_id varchar not null,
  -- the agent that was tested
  agent_url varchar not null,
  -- number of the step in the run, from 1
  position uinteger not null,
  -- the storyboard
  storyboard_id varchar not null,
  -- the phase
  phase_id varchar not null,
  -- the step
  step_id varchar not null,
  -- the task that was called
  task varchar not null,
  -- whether it passed; null if it was not run
  step_passed boolean,
  -- duration
  duration_ms double not null,
  -- reason why the agent gave no answer, or its refusal
  error_text varchar,
  -- checks that the answer failed
  failed_validations json not null,
  -- time at which the run began
  captured_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists storyboard_diagnostics_by_agent_url_run_id on storyboard_diagnostics (agent_url, run_id);
create index if not exists storyboard_diagnostics_by_seq on storyboard_diagnostics (seq);
