-- key: agent_url
-- index: location
-- takedown: deletes by location once derived again
create table if not exists agent_operators (
  agent_url varchar not null,
  domain varchar not null,
  location varchar not null,
  names_agent boolean not null
);
comment on table agent_operators is 'Operators of agents that publishers list or a brand.json names, each with the brand.json that speaks for the agent.';
comment on column agent_operators.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_operators.domain is 'domain of the operator';
comment on column agent_operators.location is 'location of the operator’s brand.json: a domain (for its well-known address) or an https URL';
comment on column agent_operators.names_agent is 'whether the file names the agent; if not, it is just the brand.json of the site that serves the agent';
