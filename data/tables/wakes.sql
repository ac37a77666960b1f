-- bookkeeping
-- index: subject, rule
-- index: wakes_at
-- takedown: deletes by subject
create table if not exists wakes (
  rule varchar not null,
  subject varchar not null,
  wakes_at timestamptz not null
);
comment on table wakes is 'Domains whose answer will change without a new file, with the time at which it must be derived again.';
comment on column wakes.rule is 'which answer: brand or publisher';
comment on column wakes.subject is 'domain whose answer changes';
comment on column wakes.wakes_at is 'time at which the answer must be derived again (UTC)';
