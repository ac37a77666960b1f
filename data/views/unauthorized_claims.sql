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
  case when p.domain is null and c.attempted_at is null then 'never_crawled'
    when p.domain is null and c.failures > 0 then 'failing'
    when p.domain is null then 'no_file' when not p.valid then 'not_valid'
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
left join crawl_state c on c.kind = 'adagents.json' and c.location = t.publisher_domain
where not exists (from authorizations a
  where a.in_force and a.agent_url = t.agent_url and a.publisher_domain = t.publisher_domain);
comment on view unauthorized_claims is 'Claims that an agent sells inventory for which its publisher does not authorize the agent, one row per claim. A claim authorizes nobody.';
comment on column unauthorized_claims.publisher_domain is 'publisher whose inventory is claimed';
comment on column unauthorized_claims.agent_url is 'normalized URL of the agent that is said to sell it';
comment on column unauthorized_claims.claimed_by is 'manager: the adagents.json of another domain claims it; agent: the agent itself does';
comment on column unauthorized_claims.claimant is 'domain or agent that makes the claim';
comment on column unauthorized_claims.publisher_says is 'never_crawled: the registry has not requested the publisher’s adagents.json yet; failing: it got no response; no_file: the publisher has none; not_valid: its last file is no longer valid; not_in_force: the file lists the agent, but outside its period or for no inventory; no_agents: the file authorizes nobody; other_agents: it authorizes others';
comment on column unauthorized_claims.selection_type is 'what the manager’s claim selects: all, by_id or by_tag; null for a claim of the agent itself';
comment on column unauthorized_claims.properties is 'number of properties of the publisher that the manager’s file itself lists under the claim; null for a claim of the agent itself';
comment on column unauthorized_claims.delegation_type is 'direct, delegated or ad_network, as claimed; null if the claim does not say';
comment on column unauthorized_claims.effective_from is 'first moment of the claim’s period (UTC); null means no start';
comment on column unauthorized_claims.effective_until is 'last moment of the claim’s period (UTC); null means no end';
comment on column unauthorized_claims.claimed_at is 'when the registry first saw the claim (UTC); null for a claim of the agent itself';
