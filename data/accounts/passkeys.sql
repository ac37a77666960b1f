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
comment on table passkeys is 'Passkeys with which persons sign in (WebAuthn). A removed one stays as a mark without its key.';
comment on column passkeys.user_id is 'person who signs in with it';
comment on column passkeys.credential_id is 'id that the authenticator gave it, base64url';
comment on column passkeys.public_key is 'public key (COSE), base64url; empty once it is removed';
comment on column passkeys.counter is 'signatures that the authenticator had counted at the last sign-in; 0 for one that does not count';
comment on column passkeys.transports is 'ways in which the authenticator says it can be reached';
comment on column passkeys.label is 'name that its person gave it';
comment on column passkeys.created_at is 'time of the registration';
comment on column passkeys.used_at is 'last signed in with';
comment on column passkeys.seq is 'commit that last touched the row';
