-- Files kept for platforms, complete; the index gets them without contacts.
-- takedown: keeps a file for a platform, which says of others what it says
create table if not exists mirrors (
  -- platform whose file is mirrored
  platform varchar not null primary key,
  -- SHA-256 of the file without its time, hex
  digest varchar not null,
  -- the file, and its parsed content
  content json not null,
  -- key or person that published it, or proposed the approved version
  published_by varchar not null,
  -- whether it is no longer served
  removed boolean not null,
  -- first published, since it was last removed
  created_at timestamptz not null,
  -- last published, or removed
  updated_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists mirrors_by_seq on mirrors (seq);
