create table if not exists storyboard_exchanges (
  run_id varchar not null,
  agent_url varchar not null,
  position uinteger not null,
  exchange json not null,
  seq bigint not null
);
comment on table storyboard_exchanges is 'Requests and answers of failed steps, shortened and without secrets; kept as long as the steps.';
comment on column storyboard_exchanges.run_id is 'the run';
comment on column storyboard_exchanges.agent_url is 'the agent that was called';
comment on column storyboard_exchanges.position is 'the step in storyboard_diagnostics';
comment on column storyboard_exchanges.exchange is 'the request, and the answer to it';
comment on column storyboard_exchanges.seq is 'commit that last touched the row';
