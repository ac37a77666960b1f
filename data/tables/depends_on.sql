create table if not exists depends_on (
  kind varchar not null,
  domain varchar not null,
  on_location varchar not null
);
comment on table depends_on is 'Whose answer must be derived again when a file changes.';
comment on column depends_on.kind is 'brand.json or adagents.json';
comment on column depends_on.domain is 'the domain whose answer depends';
comment on column depends_on.on_location is 'location of the file, of the same kind, it depends on';
