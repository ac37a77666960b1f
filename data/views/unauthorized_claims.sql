create or replace view unauthorized_claims as
with told as (
  select 'manager' as claimed_by, manager_domain as claimant, agent_url, publisher_domain,
    selection_type, inline_property_count as properties, delegation_type,
    effective_from, effective_until,
    claimed_at
  from claims
  union all
  select 'agent', agent_url, agent_url, publisher_domain, null, null, null, null, null, null
  from agent_claims
)
select
  t.publisher_domain,
  t.agent_url,
  t.claimed_by,
  t.claimant,
  case when p.domain is null then 'no_file' when not p.valid then 'not_valid'
    when list_contains(p.listed_agents, t.agent_url) then 'not_in_force'
    when p.agent_count = 0 then 'no_agents' else 'other_agents' end as publisher_says,
  t.selection_type,
  t.properties,
  t.delegation_type,
  t.effective_from,
  t.effective_until,
  t.claimed_at
from told t
left join publishers p on p.domain = t.publisher_domain
where not exists (from authorizations a
  where a.in_force and a.agent_url = t.agent_url and a.publisher_domain = t.publisher_domain);
comment on view unauthorized_claims is 'Inventory that somebody claims an agent sells and whose publisher authorizes that agent for nothing: a row a claim. A claim authorizes nobody.';
comment on column unauthorized_claims.publisher_domain is 'publisher whose inventory is claimed';
comment on column unauthorized_claims.agent_url is 'key of the agent that claims, or is claimed, to sell it';
comment on column unauthorized_claims.claimed_by is 'manager: an adagents.json of another domain says so; agent: the agent itself does';
comment on column unauthorized_claims.claimant is 'that domain, or that agent';
comment on column unauthorized_claims.publisher_says is 'no_file: the registry knows no adagents.json of the publisher; not_valid: it had one that stands no more; not_in_force: it lists the agent, outside its window or for nothing; no_agents: nobody is authorized; other_agents: others are';
comment on column unauthorized_claims.selection_type is 'selector of the manager''s claim: all, by_id or by_tag; null for a claim of the agent itself';
comment on column unauthorized_claims.properties is 'number of properties of the publisher that the manager''s file itself lists under the claim; null for a claim of the agent itself';
comment on column unauthorized_claims.delegation_type is 'direct, delegated or ad_network, as claimed; null if the claim does not say';
comment on column unauthorized_claims.effective_from is 'first moment of the claim''s window (UTC); null means always';
comment on column unauthorized_claims.effective_until is 'last moment of the claim''s window (UTC); null means for ever';
comment on column unauthorized_claims.claimed_at is 'time at which the registry first saw the claim (UTC); null for a claim of the agent itself';
