-- key: agent_url, location, type
create table if not exists agent_declarations (
  agent_url varchar not null,
  location varchar not null,
  type varchar not null
);
comment on table agent_declarations is 'Agents that a brand.json that stands says are its brand''s or its house''s.';
comment on column agent_declarations.agent_url is 'key of the agent';
comment on column agent_declarations.location is 'the file: a domain (the well-known place) or an https URL';
comment on column agent_declarations.type is 'what the file says it is, as written';
