create table if not exists agent_requests (
  request_id varchar not null,
  agent_url varchar not null,
  request_type varchar not null,
  response_time_ms double,
  success boolean not null,
  error_message varchar,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table agent_requests is 'Calls of the registry to agents that it tests, and whether they answered; the last 500 of each agent.';
comment on column agent_requests.request_id is 'id of the run, if it was part of one';
comment on column agent_requests.agent_url is 'the agent that was called';
comment on column agent_requests.request_type is 'scheduled_run, requested_run, storyboard_run, comparison, step, discovery or token';
comment on column agent_requests.response_time_ms is 'duration; null if unknown';
comment on column agent_requests.success is 'whether the agent could be called';
comment on column agent_requests.error_message is 'reason why it could not be called';
comment on column agent_requests.created_at is 'time at which it began';
comment on column agent_requests.seq is 'commit that wrote the row';
