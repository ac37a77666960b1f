-- key: agent_url, location, type
-- index: location
create table if not exists agent_declarations (
  agent_url varchar not null,
  location varchar not null,
  type varchar not null
);
comment on table agent_declarations is 'Agents that a valid brand.json declares for its brand or its house.';
comment on column agent_declarations.agent_url is 'address of the agent in its one form: agent_key() makes it of any spelling';
comment on column agent_declarations.location is 'the file: a domain (the well-known place) or an https URL';
comment on column agent_declarations.type is 'type that the file gives the agent, as written';
