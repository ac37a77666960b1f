-- Persons who have signed in here.
-- takedown: keeps people, whatever their mailbox
create table if not exists people (
  -- subject of their tokens, under which memberships are stored
  user_id varchar not null,
  -- email for an address that got a link, otherwise the upstream identity provider
  provider varchar not null,
  -- their id at the provider: the address, or the subject
  subject varchar not null,
  -- their address
  email varchar,
  -- whether the address was verified
  email_verified boolean not null,
  -- their name, if the provider gives one
  name varchar,
  -- time of the first sign-in
  created_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists people_by_user_id on people (user_id);
create index if not exists people_by_provider_subject on people (provider, subject);
create index if not exists people_by_email on people (email);
create index if not exists people_by_seq on people (seq);
