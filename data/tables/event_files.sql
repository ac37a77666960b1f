-- key: day
-- takedown: keeps, since it names no domain
create table if not exists event_files (
  day date not null,
  sha256 varchar not null,
  rewritten_at timestamptz not null
);
comment on table event_files is 'Event files of past days that were rewritten because events were removed from them.';
comment on column event_files.day is 'the UTC day';
comment on column event_files.sha256 is 'SHA-256 of the file as it is now, in hex';
comment on column event_files.rewritten_at is 'when the file was rewritten (UTC)';
