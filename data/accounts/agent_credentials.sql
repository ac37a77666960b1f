-- Credentials by which members' agents are tested, encrypted with a key that is not in the stores.
-- takedown: deletes by agent_url
create table if not exists agent_credentials (
  -- organization that owns the agent
  org_id varchar not null,
  -- key of the agent; the credential is sent to nobody else
  agent_url varchar not null,
  -- bearer, basic or oauth_client_credentials
  auth_type varchar not null,
  -- the credential, AES-256-GCM; null once deleted
  sealed varchar,
  -- time at which it was saved or deleted
  saved_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null,
  primary key (org_id, agent_url)
);
create index if not exists agent_credentials_by_seq on agent_credentials (seq);
