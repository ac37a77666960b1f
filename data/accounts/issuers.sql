-- The identity provider, as it last described itself.
-- takedown: keeps the identity provider, which the operator chose
create table if not exists issuers (
  -- its identifier in its tokens
  issuer varchar not null primary key,
  -- public keys that its tokens are verified by
  keys json not null,
  -- metadata about where callers get tokens (RFC 8414); null if it publishes none
  server json,
  -- time at which these were read
  read_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists issuers_by_seq on issuers (seq);
