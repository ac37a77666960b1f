create table if not exists issuers (
  issuer varchar not null,
  keys json not null,
  server json,
  read_at timestamptz not null,
  seq bigint not null
);
comment on table issuers is 'The identity provider, as it last described itself.';
comment on column issuers.issuer is 'its identifier in its tokens';
comment on column issuers.keys is 'public keys that its tokens are verified by';
comment on column issuers.server is 'metadata about where callers get tokens (RFC 8414); null if it publishes none';
comment on column issuers.read_at is 'time at which these were read';
comment on column issuers.seq is 'commit that last touched the row';
