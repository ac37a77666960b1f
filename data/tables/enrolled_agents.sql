-- key: agent_url, org_id
-- bookkeeping
-- takedown: deletes by agent_url
create table if not exists enrolled_agents (
  agent_url varchar not null,
  org_id varchar not null,
  seq bigint not null
);
comment on table enrolled_agents is 'Agents that members show to everyone. They are probed even if nobody else names them. Agents that members keep to themselves are not here.';
comment on column enrolled_agents.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column enrolled_agents.org_id is 'the member';
comment on column enrolled_agents.seq is 'commit that last touched the row';
