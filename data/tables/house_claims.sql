-- bookkeeping
-- index: location
-- index: domain
-- takedown: deletes by location once derived again
create table if not exists house_claims (
  location varchar not null,
  house_domain varchar not null,
  domain varchar not null
);
comment on table house_claims is 'Domains that a house names as its brands in its portfolio, by domain.';
comment on column house_claims.location is 'location of the file: a domain (for its well-known address) or an https URL';
comment on column house_claims.house_domain is 'domain that the file gives as the one of its house';
comment on column house_claims.domain is 'website of one of its brands, or domain of a brand that it refers to';
