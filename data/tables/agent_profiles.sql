-- key: agent_url
-- takedown: deletes by agent_url
create table if not exists agent_profiles (
  agent_url varchar not null,
  name varchar,
  type varchar not null, -- published as enum agent_type
  protocols varchar[] not null,
  tools_count uinteger not null,
  channels varchar[] not null,
  markets varchar[] not null,
  has_tmp boolean not null,
  needs_auth boolean not null,
  changed_at timestamptz not null,
  seq bigint not null,
  delivery_types varchar[],
  format_kinds varchar[]
);
comment on table agent_profiles is 'Profiles of agents, from their own responses and from the files that declare them, whether or not anybody authorizes them. Their complete responses are in documents, the results of attempts in crawl_state.';
comment on column agent_profiles.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_profiles.name is 'name that the agent gives itself; null until it was first reached';
comment on column agent_profiles.type is 'brand, rights, measurement, governance, creative, sales, buying, signals or unknown: declared by its own site, else derived from its tasks, else declared by others';
comment on column agent_profiles.protocols is 'protocols it speaks: mcp, a2a; empty until it was first reached';
comment on column agent_profiles.tools_count is 'number of tools it lists';
comment on column agent_profiles.channels is 'channels that the agent or its products claim to cover, sorted';
comment on column agent_profiles.markets is 'countries that the agent or its products claim to cover, sorted';
comment on column agent_profiles.has_tmp is 'whether it claims to support trusted match';
comment on column agent_profiles.needs_auth is 'whether it lists its tools to anyone but requires a credential to call them';
comment on column agent_profiles.delivery_types is 'how its products are delivered: guaranteed, non_guaranteed; sorted; empty if it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.format_kinds is 'kinds of formats that its capabilities, formats and products name, sorted, empty if it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.changed_at is 'when its content last changed (UTC)';
comment on column agent_profiles.seq is 'commit that last touched the row';
