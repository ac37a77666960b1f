-- key: agent_url, publisher_domain
-- index: publisher_domain
-- takedown: deletes by agent_url, publisher_domain
create table if not exists agent_claims (
  agent_url varchar not null,
  publisher_domain varchar not null
);
comment on table agent_claims is 'Publishers whose properties an agent claimed to sell when it was last probed. Actual grants are in authorizations.';
comment on column agent_claims.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_claims.publisher_domain is 'publisher, which may be one that the registry does not know';
