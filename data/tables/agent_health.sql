-- key: location, seq
-- index: seq
create table if not exists agent_health (
  location varchar not null,
  outcome varchar not null, -- published as enum outcome
  since timestamptz not null,
  seq bigint not null
);
comment on table agent_health is 'When agents began to answer, and when and how they began to fail: a row where a probe ended otherwise than the one before, the latest fifty of each agent.';
comment on column agent_health.location is 'address of the agent in its one form: agent_key() makes it of any spelling';
comment on column agent_health.outcome is 'outcome of the probe, such as timeout; ok also if nothing had changed';
comment on column agent_health.since is 'time of the first probe with this outcome (UTC)';
comment on column agent_health.seq is 'commit that recorded it';
