create or replace view data_set as
select
  2::uinteger as format,
  seq,
  committed_at as as_of,
  (select min(valid_from) from publisher_versions) as history_since,
  'DEFINITIONS' as definitions
from internal.meta;
comment on view data_set is 'One row: the version of the data set, the commit it shows, and the start of its history.';
comment on column data_set.format is 'version of the published tables and views; it increases when one is renamed or removed or changes its meaning';
comment on column data_set.seq is 'number of the last commit included';
comment on column data_set.as_of is 'time of the last commit included (UTC)';
comment on column data_set.history_since is 'start of what the …_history views record (UTC); null if no publisher’s file was read yet';
comment on column data_set.definitions is 'SHA-256 of the definitions of all tables and views';
