-- key: rule, subject
-- index: subject
-- takedown: deletes by subject
create table if not exists held (
  rule varchar not null,
  subject varchar not null,
  reason varchar not null,
  grants uinteger not null,
  properties uinteger not null,
  since timestamptz not null,
  seq bigint not null
);
comment on table held is 'Held-back removals: responses that would have removed rows on a night with too many removals. The publishers listed here keep their earlier rows.';
comment on column held.rule is 'kind of the response that is held back: publisher';
comment on column held.subject is 'domain whose rows are kept';
comment on column held.reason is 'failed: the domain’s file is no longer valid; emptied: the file drops half of its content or more';
comment on column held.grants is 'number of authorizations that would end';
comment on column held.properties is 'number of properties that would become stale';
comment on column held.since is 'time at which the response was first held back (UTC)';
comment on column held.seq is 'commit that last touched the row';
