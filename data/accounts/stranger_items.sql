-- What is stored because a stranger asked for it, as long as it may give way to what others ask for.
-- takedown: deletes by key
create table if not exists stranger_items (
  -- brand: an enriched brand; client: an application that nobody has signed in with; name: one of the frontier that
  -- was looked up; name_again: the same, for the second who looked it up
  kind varchar not null,
  -- domain of the brand, id of the application, or the name
  key varchar not null,
  -- part of a hash of the caller's address, which hundreds of addresses share
  caller varchar not null,
  -- time since which it is stored
  since timestamptz not null,
  -- commit that last touched the row
  seq bigint not null,
  primary key (kind, key)
);
create index if not exists stranger_items_by_caller on stranger_items (kind, caller);
create index if not exists stranger_items_by_seq on stranger_items (seq);
