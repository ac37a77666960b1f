create table if not exists people (
  user_id varchar not null,
  provider varchar not null,
  subject varchar not null,
  email varchar,
  email_verified boolean not null,
  name varchar,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table people is 'Persons who have signed in here.';
comment on column people.user_id is 'subject of their tokens, under which memberships are stored';
comment on column people.provider is 'who knows them: email for an address that got a link, else the upstream identity provider';
comment on column people.subject is 'their id there: the address, or the subject that the provider gives';
comment on column people.email is 'their address';
comment on column people.email_verified is 'whether the address was shown to be theirs';
comment on column people.name is 'their name, if the provider gives one';
comment on column people.created_at is 'first signed in';
comment on column people.seq is 'commit that last touched the row';
