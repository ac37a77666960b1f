create table if not exists verified_domains (
  org_id varchar not null,
  domain varchar not null,
  proof varchar not null,
  verified_at timestamptz not null,
  seq bigint not null
);
comment on table verified_domains is 'Domains that organizations have shown to be theirs; each is of one.';
comment on column verified_domains.org_id is 'whose domain it is';
comment on column verified_domains.domain is 'the domain; those below it are its owner''s too, unless another has verified them';
comment on column verified_domains.proof is 'operator, dns_txt, http, pointer or email: by what it was shown';
comment on column verified_domains.verified_at is 'last shown';
comment on column verified_domains.seq is 'commit that last touched the row';
