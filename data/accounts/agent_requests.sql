-- Calls of the registry to agents that it tests, and whether they answered; the last 500 of each agent.
-- takedown: deletes by agent_url
create table if not exists agent_requests (
  -- id of the run, if it was part of one
  request_id varchar not null,
  -- the agent that was called
  agent_url varchar not null,
  -- scheduled_run, requested_run, storyboard_run, comparison, step, discovery or token
  request_type varchar not null,
  -- duration; null if unknown
  response_time_ms double,
  -- whether the agent could be called
  success boolean not null,
  -- reason why it could not be called
  error_message varchar,
  -- time at which it began
  created_at timestamptz not null,
  -- commit that wrote the row
  seq bigint not null
);
create index if not exists agent_requests_by_agent_url_created_at on agent_requests (agent_url, created_at);
create index if not exists agent_requests_by_seq on agent_requests (seq);
