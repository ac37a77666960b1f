create or replace view data_set as
select 2::uinteger as format, seq, committed_at as as_of, 'DEFINITIONS' as definitions from internal.meta;
comment on view data_set is 'One row: which version of the data set this is, and which commit it shows.';
comment on column data_set.format is 'version of the published tables and views: it rises when one is renamed, is removed or means something else';
comment on column data_set.seq is 'number of the last commit that is shown';
comment on column data_set.as_of is 'time of that commit (UTC)';
comment on column data_set.definitions is 'SHA-256 of the definitions of all tables and views';
