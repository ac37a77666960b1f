-- key: rule, subject
create table if not exists held (
  rule varchar not null,
  subject varchar not null,
  reason varchar not null,
  grants uinteger not null,
  properties uinteger not null,
  since timestamptz not null,
  seq bigint not null
);
comment on table held is 'Answers that would take rows and are held back, because too many did so in one night. Who is in here keeps the rows that stood.';
comment on column held.rule is 'which answer: publisher';
comment on column held.subject is 'the domain whose rows stand on';
comment on column held.reason is 'failed: its file stands no more; emptied: the file drops half of what there was, or more';
comment on column held.grants is 'authorizations that would end';
comment on column held.properties is 'properties that would turn stale';
comment on column held.since is 'when it was held first';
comment on column held.seq is 'commit that last touched the row';
