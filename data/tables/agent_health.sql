-- key: location, seq
-- index: seq
-- takedown: deletes by location
create table if not exists agent_health (
  location varchar not null,
  outcome varchar not null, -- published as enum outcome
  since timestamptz not null,
  seq bigint not null
);
comment on table agent_health is 'When agents started to respond or to fail, and how: one row for each probe whose outcome differs from the previous one; the latest fifty for each agent.';
comment on column agent_health.location is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_health.outcome is 'outcome of the probe, such as timeout; ok also means that nothing had changed';
comment on column agent_health.since is 'time of the first probe with this outcome (UTC)';
comment on column agent_health.seq is 'commit that recorded the probe';
