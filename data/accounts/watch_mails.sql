-- Mails about what people watch, without their text; those of the last two days.
-- takedown: keeps, since it names no domain
create table if not exists watch_mails (
  -- id of the mail
  mail_id varchar not null primary key,
  -- person who got it
  user_id varchar not null,
  -- at_once, or daily for one about all whose news come once a day
  pace varchar not null,
  -- time at which it was handed over
  sent_at timestamptz not null,
  -- commit that wrote the row
  seq bigint not null
);
create index if not exists watch_mails_by_user_id on watch_mails (user_id, sent_at);
create index if not exists watch_mails_by_seq on watch_mails (seq);
