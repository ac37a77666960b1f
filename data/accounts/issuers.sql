create table if not exists issuers (
  issuer varchar not null,
  keys json not null,
  server json,
  read_at timestamptz not null,
  seq bigint not null
);
comment on table issuers is 'The identity provider, as it last described itself.';
comment on column issuers.issuer is 'its name in its tokens';
comment on column issuers.keys is 'the public keys that its tokens are verified by';
comment on column issuers.server is 'where callers get tokens (RFC 8414); null where it does not say';
comment on column issuers.read_at is 'when this was new';
comment on column issuers.seq is 'commit that last touched the row';
