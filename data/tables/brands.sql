-- key: domain
-- index: seq
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
comment on column brands.source is 'who describes it: brand_json (its own file), enriched (a third party) or community (members of the registry)';
comment on column brands.brand_id is 'id of the brand inside its document; null where it gives none';
comment on column brands.keller_type is 'role in the portfolio of its house: master, sub_brand, endorsed or independent; null where no file says';
comment on column brands.house_domain is 'the house: confirmed, or with relationship_trust house_only by the word of the house alone; null for a brand without a house';
comment on column brands.house_name is 'name of that house; null where there is none or it has no name';
comment on column brands.claimed_house_domain is 'a house that the brand names and that does not confirm it; null where there is none';
comment on column brands.parent_brand is 'id of the parent brand inside the portfolio; null at the top';
comment on column brands.brand_agent_url is 'agent that speaks for the brand; null where it names none';
comment on column brands.relationship_trust is 'who says that it belongs to the house: inline (the house, for its own site), mutual (both files), leaf_only (only the brand), house_only (only the house), standalone (it belongs to no house), unverifiable (the files cannot be compared); null where no file says anything';
comment on column brands.relationship_declared_at is 'time since which the house declares the brand; null where it does not';
comment on column brands.names is 'names by language: list of {locale: name}; null where the file has none';
comment on column brands.manifest is 'logos, colors, tone and other content as published; an enriched brand also has enrichment: the source and the time; null where there is none';
comment on column brands.seq is 'commit that last touched the row';
comment on column brands.resolved_location is 'location of the file from which the brand was read; null where none was';
comment on column brands.promotion is 'of a file of an early form: its schema, and what was not read of it; null for all others';
