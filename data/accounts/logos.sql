create table if not exists logos (
  logo_id varchar not null,
  domain varchar not null,
  hash varchar not null,
  content_type varchar not null,
  bytes uinteger not null,
  tags varchar[] not null,
  note varchar,
  source varchar not null,
  status varchar not null,
  org_id varchar,
  uploaded_by varchar not null,
  uploaded_at timestamptz not null,
  seq bigint not null
);
comment on table logos is 'Logos that were handed in; the pictures are files in DATA_DIR/logos, named by their hash.';
comment on column logos.logo_id is 'chosen by who handed it in; that of its review, if it has one';
comment on column logos.domain is 'the brand''s';
comment on column logos.hash is 'SHA-256 of the picture, hex';
comment on column logos.content_type is 'what its first bytes say it is';
comment on column logos.bytes is 'its size';
comment on column logos.tags is 'words for it';
comment on column logos.note is 'what its uploader says of it';
comment on column logos.source is 'brand_owner or community: who says that it is the brand''s';
comment on column logos.status is 'pending, approved or rejected';
comment on column logos.org_id is 'the uploader''s organization';
comment on column logos.uploaded_by is 'key or person that handed it in';
comment on column logos.uploaded_at is 'when it was handed in';
comment on column logos.seq is 'commit that last touched the row';
