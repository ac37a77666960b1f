-- key: agent_url
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
comment on table agent_profiles is 'Profiles of agents, from their own answers and from the files that declare them, whether or not anybody authorizes them. Their complete answers are in documents, the results of attempts in crawl_state.';
comment on column agent_profiles.agent_url is 'address of the agent in its one form: agent_key() makes it of any spelling';
comment on column agent_profiles.name is 'as it calls itself; null before it was reached';
comment on column agent_profiles.type is 'brand, rights, measurement, governance, creative, sales, buying, signals or unknown: as its own site declares it, else what its tasks tell, else as others declare it';
comment on column agent_profiles.protocols is 'mcp, a2a; none before it was reached';
comment on column agent_profiles.tools_count is 'tools it lists';
comment on column agent_profiles.channels is 'channels that it, or its products, say it covers, sorted';
comment on column agent_profiles.markets is 'countries that it, or its products, say it covers, sorted';
comment on column agent_profiles.has_tmp is 'whether it says that it supports trusted match';
comment on column agent_profiles.needs_auth is 'lists its tools to anybody, and wants a credential for one that was called';
comment on column agent_profiles.delivery_types is 'how its products are delivered: guaranteed, non_guaranteed; sorted, empty where it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.format_kinds is 'kinds of formats that its capabilities, formats and products name, sorted, empty where it does not say; null only in rows that an earlier version wrote';
comment on column agent_profiles.changed_at is 'last changed';
comment on column agent_profiles.seq is 'commit that last touched the row';
