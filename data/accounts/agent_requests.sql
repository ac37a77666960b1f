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
comment on table agent_requests is 'When the registry called agents to test them, and whether they answered; the last 500 of each agent.';
comment on column agent_requests.request_id is 'id of the run, where it was one';
comment on column agent_requests.agent_url is 'the agent that was called';
comment on column agent_requests.request_type is 'scheduled_run, requested_run, storyboard_run, comparison, step, discovery or token';
comment on column agent_requests.response_time_ms is 'how long it took; null where it is not known';
comment on column agent_requests.success is 'whether the agent could be called';
comment on column agent_requests.error_message is 'why it could not';
comment on column agent_requests.created_at is 'when it began';
comment on column agent_requests.seq is 'commit that wrote the row';
