create table if not exists agent_credentials (
  org_id varchar not null,
  agent_url varchar not null,
  auth_type varchar not null,
  sealed varchar,
  saved_at timestamptz not null,
  seq bigint not null
);
comment on table agent_credentials is 'Credentials by which agents of members are tested, encrypted with a key that is not in the stores.';
comment on column agent_credentials.org_id is 'whose agent it is';
comment on column agent_credentials.agent_url is 'key of the agent, which alone is sent it';
comment on column agent_credentials.auth_type is 'bearer, basic or oauth_client_credentials';
comment on column agent_credentials.sealed is 'the credential, AES-256-GCM; null where it was deleted';
comment on column agent_credentials.saved_at is 'when it was saved or deleted';
comment on column agent_credentials.seq is 'commit that last touched the row';
