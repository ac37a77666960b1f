create table if not exists passkeys (
  user_id varchar not null,
  credential_id varchar not null,
  public_key varchar not null,
  counter bigint not null,
  transports json not null,
  label varchar not null,
  created_at timestamptz not null,
  used_at timestamptz,
  seq bigint not null
);
comment on table passkeys is 'Passkeys with which persons sign in (WebAuthn). Of a removed one only the id remains, without its key.';
comment on column passkeys.user_id is 'person who signs in with it';
comment on column passkeys.credential_id is 'id given by the authenticator, base64url';
comment on column passkeys.public_key is 'public key (COSE), base64url; empty once removed';
comment on column passkeys.counter is 'signature counter of the authenticator at the last sign-in; 0 if it does not count';
comment on column passkeys.transports is 'transports that the authenticator announced';
comment on column passkeys.label is 'name given by the person';
comment on column passkeys.created_at is 'time of the registration';
comment on column passkeys.used_at is 'time of the last sign-in with it';
comment on column passkeys.seq is 'commit that last touched the row';
