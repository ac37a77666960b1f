create table if not exists mirrors (
  platform varchar not null,
  digest varchar not null,
  content json not null,
  published_by varchar not null,
  removed boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table mirrors is 'Files kept for platforms, complete; the index gets them without contacts.';
comment on column mirrors.platform is 'platform whose file is mirrored';
comment on column mirrors.digest is 'SHA-256 of the file without its time, hex';
comment on column mirrors.content is 'the file, and its parsed content';
comment on column mirrors.published_by is 'key or person that published it, or proposed the approved version';
comment on column mirrors.removed is 'whether it is no longer served';
comment on column mirrors.created_at is 'first published, since it was last removed';
comment on column mirrors.updated_at is 'last published, or removed';
comment on column mirrors.seq is 'commit that last touched the row';
