-- bookkeeping
create table if not exists wakes (
  rule varchar not null,
  subject varchar not null,
  wakes_at timestamptz not null
);
comment on table wakes is 'Whose answer time alone will change, and when it must be derived again.';
comment on column wakes.rule is 'which answer: brand or publisher';
comment on column wakes.subject is 'the domain whose answer changes';
comment on column wakes.wakes_at is 'when';
