-- key: agent_url, location, type
-- index: location
-- takedown: deletes by location once derived again
create table if not exists agent_declarations (
  agent_url varchar not null,
  location varchar not null,
  type varchar not null
);
comment on table agent_declarations is 'Agents that a valid brand.json declares for its brand or its house.';
comment on column agent_declarations.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_declarations.location is 'location of the file: a domain (for its well-known address) or an https URL';
comment on column agent_declarations.type is 'type of the agent as written in the file';
