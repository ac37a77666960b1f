create table if not exists compliance_runs (
  run_id varchar not null,
  agent_url varchar not null,
  org_id varchar not null,
  overall_status varchar not null,
  headline varchar,
  tracks json not null,
  storyboards_passing uinteger not null,
  storyboards_total uinteger not null,
  duration_ms double not null,
  tested_at timestamptz not null,
  seq bigint not null
);
comment on table compliance_runs is 'Scheduled runs of all storyboards that apply to an agent; the last 100 of each agent.';
comment on column compliance_runs.run_id is 'id of the run';
comment on column compliance_runs.agent_url is 'the agent that was tested';
comment on column compliance_runs.org_id is 'organization that is responsible for the agent';
comment on column compliance_runs.overall_status is 'passing, partial or failing; unknown if the agent requires a credential';
comment on column compliance_runs.headline is 'the result in one line';
comment on column compliance_runs.tracks is 'results by part of the protocol';
comment on column compliance_runs.storyboards_passing is 'storyboards that passed';
comment on column compliance_runs.storyboards_total is 'storyboards that could be judged';
comment on column compliance_runs.duration_ms is 'duration';
comment on column compliance_runs.tested_at is 'time at which it began';
comment on column compliance_runs.seq is 'commit that last touched the row';
