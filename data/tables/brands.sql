-- key: domain
-- index: seq
-- index: domain where instr(domain, 'xn--') > 0
-- takedown: deletes by domain
create table if not exists brands (
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
  brand_agent_url varchar,
  relationship_trust varchar, -- published as enum relationship_trust
  relationship_declared_at timestamptz,
  names json,
  manifest json,
  seq bigint not null,
  resolved_location varchar,
  promotion json
);
comment on table brands is 'The brand behind each domain, one row per domain.';
comment on column brands.domain is 'domain of the brand';
comment on column brands.canonical_id is 'canonical identifier: always a domain';
comment on column brands.canonical_domain is 'domain of the canonical brand';
comment on column brands.brand_name is 'primary name';
comment on column brands.source is 'who describes the brand: brand_json (its own file, or the one that it leads to, such as its house’s), enriched (a third party) or community (members of the registry)';
comment on column brands.brand_id is 'id of the brand in its file; null if it has none';
comment on column brands.keller_type is 'role in the portfolio of its house: master, sub_brand, endorsed or independent; null if no file says, where the API says master';
comment on column brands.house_domain is 'domain of the house: confirmed, or, if relationship_trust is house_only, declared by the house alone; null for a brand without a house';
comment on column brands.house_name is 'name of the house; null if there is none or it has no name';
comment on column brands.claimed_house_domain is 'house that the brand names but that does not confirm it; null if there is none';
comment on column brands.parent_brand is 'id of the parent brand inside the portfolio; null at the top';
comment on column brands.brand_agent_url is 'address of the brand agent that the file names; null if it names none';
comment on column brands.relationship_trust is 'who says that the brand belongs to the house: inline (the house, for its own site), mutual (both files), leaf_only (only the brand), house_only (only the house), standalone (it belongs to no house), unverifiable (the files cannot be compared); null if no file says anything';
comment on column brands.relationship_declared_at is 'time since which the house declares the brand (UTC); null if it does not';
comment on column brands.names is 'names by language: list of {locale: name}; null if the file has none';
comment on column brands.manifest is 'logos, colors, tone and other content as published; for an enriched brand also enrichment: its source and time; {} or null if there is none';
comment on column brands.seq is 'commit that last touched the row';
comment on column brands.resolved_location is 'location of the file from which the brand was read; null where none was';
comment on column brands.promotion is 'for a file in an early format: its schema, and what was not read from it; otherwise null';
