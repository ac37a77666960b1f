-- key: kind, location
create table if not exists crawl_state (
  kind varchar not null, -- published as enum source_kind
  location varchar not null,
  priority utinyint not null,
  outcome varchar, -- published as enum outcome
  effect varchar, -- published as enum effect
  status usmallint,
  streak uinteger not null,
  streak_since timestamptz,
  failures utinyint not null default 0,
  attempted_at timestamptz,
  succeeded_at timestamptz,
  due_at timestamptz,
  stale_at timestamptz,
  ended_at timestamptz,
  absent_at timestamptz,
  turns_at timestamptz,
  etag varchar,
  last_modified varchar,
  hash varchar,
  took_ms uinteger,
  requested boolean not null,
  seq bigint not null
);
comment on table crawl_state is 'One row a file on the web: how the last attempts to read it went. Kept narrow, so that a quiet night is one small update.';
comment on column crawl_state.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column crawl_state.location is 'a domain (the well-known place), an https URL, or the key of an agent';
comment on column crawl_state.priority is '0 requested, 1 a document leads there, 2 given, 3 only mentioned';
comment on column crawl_state.outcome is 'outcome of the last attempt; null before the first';
comment on column crawl_state.effect is 'what the last answer does to what stands; an attempt without an answer leaves it';
comment on column crawl_state.status is 'HTTP status of the last attempt, if there was an answer';
comment on column crawl_state.streak is 'answers in a row that said the same; 1 when the file has changed';
comment on column crawl_state.streak_since is 'when the streak began';
comment on column crawl_state.failures is 'attempts without an answer since the last one';
comment on column crawl_state.attempted_at is 'last attempt';
comment on column crawl_state.succeeded_at is 'last attempt that read the file or found it unchanged';
comment on column crawl_state.due_at is 'when it is fetched next; null for an agent that nobody names any more';
comment on column crawl_state.stale_at is 'from when on properties read from the file are stale';
comment on column crawl_state.ended_at is 'from when on grants read from the file have ended';
comment on column crawl_state.absent_at is 'when it was last said to be missing, if other answers that are no file came since';
comment on column crawl_state.turns_at is 'when time alone next changes what stands; null if never';
comment on column crawl_state.etag is 'validator of the last answer';
comment on column crawl_state.last_modified is 'validator of the last answer';
comment on column crawl_state.hash is 'content hash of the document held';
comment on column crawl_state.took_ms is 'how long an agent took to tell its tools, or why not, in ms; null for files';
comment on column crawl_state.requested is 'a person asked for the next attempt';
comment on column crawl_state.seq is 'commit that last touched the row';
