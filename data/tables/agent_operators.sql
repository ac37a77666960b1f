-- key: agent_url
-- index: location
create table if not exists agent_operators (
  agent_url varchar not null,
  domain varchar not null,
  location varchar not null,
  names_agent boolean not null
);
comment on table agent_operators is 'Operators of agents: whose brand.json speaks for an agent that publishers list or a brand.json names.';
comment on column agent_operators.agent_url is 'address of the agent in its one form: agent_key() makes it of any spelling';
comment on column agent_operators.domain is 'domain of the operator';
comment on column agent_operators.location is 'its brand.json: a domain (the well-known place) or an https URL';
comment on column agent_operators.names_agent is 'whether the file names the agent; otherwise it is merely that of the agent''s site';
