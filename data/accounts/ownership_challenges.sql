-- Tokens that organizations were given to put on a domain; deleted a day after they expire.
-- takedown: deletes by domain
create table if not exists ownership_challenges (
  -- id of the challenge
  challenge_id varchar not null,
  -- organization that requested it
  org_id varchar not null,
  -- domain that must show the token
  domain varchar not null,
  -- SHA-256 of the token, in hex; the token itself is stored nowhere
  nonce_hash varchar not null,
  -- issued, verifying, consumed or invalidated
  state varchar not null,
  -- attempt that is verifying it, or did
  attempt_id varchar,
  -- time at which it was issued
  issued_at timestamptz not null,
  -- time from which it proves nothing
  expires_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists ownership_challenges_by_challenge_id on ownership_challenges (challenge_id);
create index if not exists ownership_challenges_by_org_id_domain on ownership_challenges (org_id, domain);
create index if not exists ownership_challenges_by_expires_at on ownership_challenges (expires_at);
create index if not exists ownership_challenges_by_seq on ownership_challenges (seq);
