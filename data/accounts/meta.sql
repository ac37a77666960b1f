create table if not exists meta (
  format integer not null
);
comment on table meta is 'One row: the layout of this file.';
comment on column meta.format is 'number of the newest migration that this file has';
