-- Uploaded logos; the images are files in DATA_DIR/logos, named by their hash.
-- takedown: erases the row but its hash, by which the picture is found (accounts/taken-down-rows.ts)
create table if not exists logos (
  -- id chosen by the caller; also the id of its review, if it has one
  logo_id varchar not null primary key,
  -- domain of the brand
  domain varchar not null,
  -- SHA-256 of the image, hex
  hash varchar not null,
  -- type by its first bytes
  content_type varchar not null,
  -- size of the image
  bytes uinteger not null,
  -- tags of the logo
  tags varchar[] not null,
  -- note of the uploader
  note varchar,
  -- brand_owner or community: who states that it is the brand's
  source varchar not null,
  -- pending, approved or rejected
  status varchar not null,
  -- organization of the uploader
  org_id varchar,
  -- key or person that uploaded it
  uploaded_by varchar not null,
  -- time of the upload
  uploaded_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists logos_by_domain on logos (domain);
create index if not exists logos_by_hash on logos (hash);
create index if not exists logos_by_seq on logos (seq);
