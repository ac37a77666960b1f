create table if not exists ownership_challenges (
  challenge_id varchar not null,
  org_id varchar not null,
  domain varchar not null,
  nonce_hash varchar not null,
  state varchar not null,
  attempt_id varchar,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  seq bigint not null
);
comment on table ownership_challenges is 'Tokens that organizations were given to put on a domain; deleted a day after they expire.';
comment on column ownership_challenges.challenge_id is 'id of the challenge';
comment on column ownership_challenges.org_id is 'organization that requested it';
comment on column ownership_challenges.domain is 'domain that must show the token';
comment on column ownership_challenges.nonce_hash is 'SHA-256 of the token, in hex; the token itself is stored nowhere';
comment on column ownership_challenges.state is 'issued, verifying, consumed or invalidated';
comment on column ownership_challenges.attempt_id is 'attempt that is verifying it, or did';
comment on column ownership_challenges.issued_at is 'time at which it was issued';
comment on column ownership_challenges.expires_at is 'time from which it proves nothing';
comment on column ownership_challenges.seq is 'commit that last touched the row';
