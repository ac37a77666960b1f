-- key: agent_url
-- index: seq
-- takedown: keeps what files of other publishers name
create table if not exists agents (
  agent_url varchar not null,
  publisher_count uinteger not null,
  property_count uinteger not null,
  property_types varchar[] not null,
  channels varchar[] not null,
  tags varchar[] not null,
  markets varchar[] not null,
  discovered_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  declared_channels varchar[],
  implied_channels varchar[],
  categories varchar[],
  category_taxonomy varchar
);
comment on table agents is 'Agents that publishers’ files list, with the publishers and properties that each of them reaches.';
comment on column agents.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agents.publisher_count is 'number of publishers that grant the agent anything; agent_reach.publishers is the same';
comment on column agents.property_count is 'number of active properties that the agent reaches';
comment on column agents.property_types is 'types of the properties that the agent reaches, sorted';
comment on column agents.channels is 'channels of the properties that the agent reaches, sorted';
comment on column agents.tags is 'tags of the properties that the agent reaches, sorted';
comment on column agents.markets is 'countries that the agent’s grants name, sorted';
comment on column agents.discovered_at is 'when the registry first saw the agent in any file (UTC)';
comment on column agents.changed_at is 'when the agent’s profile last changed (UTC)';
comment on column agents.declared_channels is 'channels of the agent’s properties that publishers name, sorted; null only in rows that an earlier version wrote';
comment on column agents.implied_channels is 'channels that the types of the agent’s properties imply where publishers name none, sorted; null only in rows that an earlier version wrote';
comment on column agents.categories is 'content categories of what the agent reaches, as publishers write them: genres of collections, categories of properties and placements; sorted; null only in rows that an earlier version wrote';
comment on column agents.category_taxonomy is 'taxonomy of the categories; null if none or several are named';
comment on column agents.seq is 'commit that last touched the row';
