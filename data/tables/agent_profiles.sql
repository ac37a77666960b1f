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
comment on column agent_profiles.type is 'brand, rights, measurement, governance, creative, sales, buying, signals or unknown: as the agent’s own site declares, else as its tasks indicate, else as others declare';
comment on column agent_profiles.protocols is 'protocols that the agent speaks: mcp, a2a; empty until it was first reached';
comment on column agent_profiles.tools_count is 'number of tools that the agent lists';
comment on column agent_profiles.channels is 'channels that the agent or its products claim to cover, sorted';
comment on column agent_profiles.markets is 'countries that the agent or its products claim to cover, sorted';
comment on column agent_profiles.has_tmp is 'whether the agent claims to support trusted match';
comment on column agent_profiles.needs_auth is 'whether the agent lists its tools to anyone but requires a credential to call them';
comment on column agent_profiles.delivery_types is 'how the agent’s products are delivered: guaranteed, non_guaranteed; sorted; empty if it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.format_kinds is 'kinds of formats that the agent’s capabilities, formats and products name, sorted; empty if it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.changed_at is 'when the profile last changed (UTC)';
comment on column agent_profiles.seq is 'commit that last touched the row';
