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
comment on table logos is 'Uploaded logos; the images are files in DATA_DIR/logos, named by their hash.';
comment on column logos.logo_id is 'id chosen by the caller; also the id of its review, if it has one';
comment on column logos.domain is 'domain of the brand';
comment on column logos.hash is 'SHA-256 of the image, hex';
comment on column logos.content_type is 'type by its first bytes';
comment on column logos.bytes is 'size of the image';
comment on column logos.tags is 'tags of the logo';
comment on column logos.note is 'note of the uploader';
comment on column logos.source is 'brand_owner or community: who states that it is the brand''s';
comment on column logos.status is 'pending, approved or rejected';
comment on column logos.org_id is 'organization of the uploader';
comment on column logos.uploaded_by is 'key or person that uploaded it';
comment on column logos.uploaded_at is 'time of the upload';
comment on column logos.seq is 'commit that last touched the row';
