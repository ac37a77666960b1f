-- Domains that were claimed for their hosted file, or checked for a pointer to it.
-- takedown: deletes by domain
create table if not exists origins (
  -- domain of the publisher
  domain varchar not null primary key,
  -- organization whose claim the pointer carried
  org_id varchar,
  -- SHA-256 of that claim, hex
  claim varchar,
  -- time since which it points to its hosted file; null while it does not
  verified_at timestamptz,
  -- time of the last check
  checked_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists origins_by_seq on origins (seq);
