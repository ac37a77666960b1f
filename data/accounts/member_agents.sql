create table if not exists member_agents (
  org_id varchar not null,
  agent_url varchar not null,
  position uinteger not null,
  type varchar not null,
  name varchar,
  visibility varchar not null,
  health_check_url varchar,
  enrolled_at timestamptz not null,
  seq bigint not null
);
comment on table member_agents is 'Agents that members enrolled.';
comment on column member_agents.org_id is 'organization that owns the agent';
comment on column member_agents.agent_url is 'key of the agent';
comment on column member_agents.position is 'number among the member''s agents, from 1';
comment on column member_agents.type is 'brand, rights, measurement, governance, creative, sales, buying or signals, as the member states it';
comment on column member_agents.name is 'name given by the member';
comment on column member_agents.visibility is 'public, members_only or private';
comment on column member_agents.health_check_url is 'address at which the member wants its health checked';
comment on column member_agents.enrolled_at is 'time of the first enrolment';
comment on column member_agents.seq is 'commit that last touched the row';
