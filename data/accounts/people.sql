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
comment on column people.provider is 'email for an address that got a link, otherwise the upstream identity provider';
comment on column people.subject is 'their id at the provider: the address, or the subject';
comment on column people.email is 'their address';
comment on column people.email_verified is 'whether the address was verified';
comment on column people.name is 'their name, if the provider gives one';
comment on column people.created_at is 'time of the first sign-in';
comment on column people.seq is 'commit that last touched the row';
