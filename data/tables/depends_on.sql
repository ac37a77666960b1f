-- key: subject, rule, kind, location
-- bookkeeping
-- index: location, kind
-- takedown: deletes by subject
-- takedown: deletes by location once derived again
create table if not exists depends_on (
  rule varchar not null,
  subject varchar not null,
  kind varchar not null,
  location varchar not null
);
comment on table depends_on is 'Domains whose answer must be derived again when a file changes.';
comment on column depends_on.rule is 'which answer: brand or publisher';
comment on column depends_on.subject is 'domain whose answer depends on the file';
comment on column depends_on.kind is 'kind of the file it depends on';
comment on column depends_on.location is 'location of the file it depends on';
