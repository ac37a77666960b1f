-- bookkeeping
-- index: seq
-- takedown: erases all (writer/takedown/erase-copies.ts)
create table if not exists changes (
  seq bigint not null,
  space varchar not null,
  key varchar not null
);
comment on table changes is 'Keys of the serving store that a commit touched and that must still be projected, besides the brands in brand_versions.';
comment on column changes.seq is 'the commit';
comment on column changes.space is 'brand, publisher, agent or operator: key to project again; reach or identifier: key that was removed';
comment on column changes.key is 'a domain, an agent, a file, or the key itself';
