create table if not exists taken_down (
  domain varchar not null,
  reason varchar,
  taken_down_at timestamptz not null,
  cleared_at timestamptz,
  seq bigint not null
);
comment on table taken_down is 'Domains about which the registry may publish nothing. No other store contains them.';
comment on column taken_down.domain is 'the domain; its subdomains are included';
comment on column taken_down.reason is 'reason, in the operator''s words';
comment on column taken_down.taken_down_at is 'time since which';
comment on column taken_down.cleared_at is 'time at which the last copy was deleted; null until then';
comment on column taken_down.seq is 'commit that last touched the row';
