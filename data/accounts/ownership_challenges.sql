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
comment on table ownership_challenges is 'Words that organizations were given to put on a domain; a day after they are over, they are forgotten.';
comment on column ownership_challenges.challenge_id is 'id of the challenge';
comment on column ownership_challenges.org_id is 'who was given it';
comment on column ownership_challenges.domain is 'the domain it is to stand on';
comment on column ownership_challenges.nonce_hash is 'SHA-256 of the word, in hex; the word itself is kept nowhere';
comment on column ownership_challenges.state is 'issued, verifying, consumed or invalidated';
comment on column ownership_challenges.attempt_id is 'which attempt to verify it took it';
comment on column ownership_challenges.issued_at is 'time at which it was issued';
comment on column ownership_challenges.expires_at is 'from when on it proves nothing';
comment on column ownership_challenges.seq is 'commit that last touched the row';
