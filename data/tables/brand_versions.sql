-- key: domain, seq
-- index: seq
-- takedown: deletes by domain
create table if not exists brand_versions (
  domain varchar not null,
  canonical_id varchar not null,
  canonical_domain varchar not null,
  brand_name varchar not null,
  source varchar not null, -- published as enum brand_source
  brand_id varchar,
  keller_type varchar, -- published as enum keller_type
  house_domain varchar,
  house_name varchar,
  claimed_house_domain varchar,
  parent_brand varchar,
  relationship_trust varchar, -- published as enum relationship_trust
  resolved_location varchar,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
comment on table brand_versions is 'Every state of the brand of each domain, without its manifest.';
comment on column brand_versions.domain is 'domain of the brand';
comment on column brand_versions.canonical_id is 'canonical identifier: always a domain';
comment on column brand_versions.canonical_domain is 'domain of the canonical brand';
comment on column brand_versions.brand_name is 'primary name';
comment on column brand_versions.source is 'who describes the brand: brand_json (its own file, or the one that it leads to, such as its house’s), enriched (a third party) or community (members of the registry)';
comment on column brand_versions.brand_id is 'id of the brand in its file; null if it has none';
comment on column brand_versions.keller_type is 'role in the portfolio of its house: master, sub_brand, endorsed or independent; null if no file says, where the API says master';
comment on column brand_versions.house_domain is 'domain of the house, if confirmed; null for a brand without one';
comment on column brand_versions.house_name is 'name of the house; null if there is none or it has no name';
comment on column brand_versions.claimed_house_domain is 'house that the brand names but that does not confirm it; null if there is none';
comment on column brand_versions.parent_brand is 'id of the parent brand inside the portfolio; null at the top';
comment on column brand_versions.relationship_trust is 'who says that the brand belongs to the house: inline (the house, for its own site), mutual (both files), leaf_only (only the brand), house_only (only the house), standalone (it belongs to no house), unverifiable (the files cannot be compared); null if no file says anything';
comment on column brand_versions.resolved_location is 'location of the file from which the brand was read; null where none was';
comment on column brand_versions.valid_from is 'when this state began (UTC)';
comment on column brand_versions.ended is 'true if the row was removed; the other columns then hold its last state';
comment on column brand_versions.seq is 'commit that recorded this state';
