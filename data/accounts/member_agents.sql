-- Agents that members enrolled.
-- takedown: deletes by agent_url
-- takedown: clears health_check_url
create table if not exists member_agents (
  -- organization that owns the agent
  org_id varchar not null,
  -- key of the agent
  agent_url varchar not null,
  -- number among the member's agents, from 1
  position uinteger not null,
  -- brand, rights, measurement, governance, creative, sales, buying or signals, as the member states it
  type varchar not null,
  -- name given by the member
  name varchar,
  -- public, members_only or private
  visibility varchar not null,
  -- address at which the member wants its health checked
  health_check_url varchar,
  -- time of the first enrolment
  enrolled_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists member_agents_by_org_id_position on member_agents (org_id, position);
create index if not exists member_agents_by_agent_url on member_agents (agent_url);
create index if not exists member_agents_by_seq on member_agents (seq);
