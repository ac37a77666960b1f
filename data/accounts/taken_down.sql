-- Domains about which the registry may publish nothing. No other store contains them.
-- takedown: keeps the list itself
create table if not exists taken_down (
  -- the domain; its subdomains are included
  domain varchar not null primary key,
  -- reason, in the operator's words
  reason varchar,
  -- time since which
  taken_down_at timestamptz not null,
  -- time at which the last copy was deleted; null until then
  cleared_at timestamptz,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists taken_down_by_seq on taken_down (seq);
