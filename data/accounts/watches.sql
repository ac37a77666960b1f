-- What people watch: they get mails about it. A watch that has ended has no row.
-- takedown: deletes by subject
-- takedown: clears known
create table if not exists watches (
  -- id of the watch
  watch_id varchar not null primary key,
  -- person who watches
  user_id varchar not null,
  -- verified address that mails go to
  email varchar not null,
  -- domain, brand or agent
  kind varchar not null,
  -- the domain, or the key of the agent
  subject varchar not null,
  -- at_once or daily
  pace varchar not null,
  -- time at which it began
  created_at timestamptz not null,
  -- commit up to which changes were reported
  reported_seq bigint not null,
  -- public facts that were reported; null until the first look
  known json,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists watches_by_user_id on watches (user_id);
create index if not exists watches_by_seq on watches (seq);
