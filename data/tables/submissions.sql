-- bookkeeping
-- index: submission_id
create table if not exists submissions (
  submission_id varchar not null,
  seq bigint not null
);
comment on table submissions is 'Writes that are done: a second delivery finds itself here.';
comment on column submissions.submission_id is 'id chosen by the caller';
comment on column submissions.seq is 'commit that carried it out';
