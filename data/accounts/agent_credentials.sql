create table if not exists agent_credentials (
  org_id varchar not null,
  agent_url varchar not null,
  auth_type varchar not null,
  sealed varchar,
  saved_at timestamptz not null,
  seq bigint not null
);
comment on table agent_credentials is 'Credentials by which members'' agents are tested, encrypted with a key that is not in the stores.';
comment on column agent_credentials.org_id is 'organization that owns the agent';
comment on column agent_credentials.agent_url is 'key of the agent; the credential is sent to nobody else';
comment on column agent_credentials.auth_type is 'bearer, basic or oauth_client_credentials';
comment on column agent_credentials.sealed is 'the credential, AES-256-GCM; null once deleted';
comment on column agent_credentials.saved_at is 'time at which it was saved or deleted';
comment on column agent_credentials.seq is 'commit that last touched the row';
