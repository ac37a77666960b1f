create or replace view data_set as
select
  2::uinteger as format,
  seq,
  committed_at as as_of,
  (select min(valid_from) from publisher_versions) as history_since,
  'DEFINITIONS' as definitions
from internal.meta;
comment on view data_set is 'One row: which version of the data set this is, which commit it shows, and since when history is recorded.';
comment on column data_set.format is 'version of the published tables and views: it rises when one is renamed, is removed or means something else';
comment on column data_set.seq is 'number of the last commit that is shown';
comment on column data_set.as_of is 'time of that commit (UTC)';
comment on column data_set.history_since is 'time since which the views ..._history record what was so (UTC): of an earlier time nothing is known; null while no file of a publisher was read';
comment on column data_set.definitions is 'SHA-256 of the definitions of all tables and views';
