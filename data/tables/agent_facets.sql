-- key: agent_url, facet, value
-- bookkeeping
-- takedown: keeps what files of other publishers name
create table if not exists agent_facets (
  agent_url varchar not null,
  facet varchar not null,
  value varchar not null,
  times uinteger not null
);
comment on table agent_facets is 'Counts of what agents reach, by facet, so that a change of one publisher can be applied without reading the others.';
comment on column agent_facets.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_facets.facet is 'listing, publisher, property, property_type, channel, declared_channel (named by publishers, not implied by a type), tag, market, category or taxonomy (of categories; empty if it is not said)';
comment on column agent_facets.value is 'the value; empty for listing, publisher and property, which are only counted';
comment on column agent_facets.times is 'how often the value occurs: by publisher for listing, publisher, market, category and taxonomy, else by property';
