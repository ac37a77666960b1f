-- Passkeys with which persons sign in (WebAuthn). Of a removed one only the id remains, without its key.
-- takedown: keeps, since it names no domain
create table if not exists passkeys (
  -- person who signs in with it
  user_id varchar not null,
  -- id given by the authenticator, base64url
  credential_id varchar not null,
  -- public key (COSE), base64url; empty once removed
  public_key varchar not null,
  -- signature counter of the authenticator at the last sign-in; 0 if it does not count
  counter bigint not null,
  -- transports that the authenticator announced
  transports json not null,
  -- name given by the person
  label varchar not null,
  -- time of the registration
  created_at timestamptz not null,
  -- time of the last sign-in with it
  used_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists passkeys_by_user_id on passkeys (user_id);
create index if not exists passkeys_by_seq on passkeys (seq);
