-- Requests and answers of failed steps, shortened and without secrets; kept as long as the steps.
-- takedown: deletes by agent_url
create table if not exists storyboard_exchanges (
  -- the run
  run_id varchar not null,
  -- the agent that was called
  agent_url varchar not null,
  -- the step in storyboard_diagnostics
  position uinteger not null,
  -- the request, and the answer to it
  exchange json not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists storyboard_exchanges_by_agent_url_run_id on storyboard_exchanges (agent_url, run_id);
create index if not exists storyboard_exchanges_by_seq on storyboard_exchanges (seq);
