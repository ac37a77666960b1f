-- From now on the index knows by its domain which houses claim a brand. Claims on saved brands are compared at once.
create table internal.house_claims (
  location varchar not null,
  house_domain varchar not null,
  domain varchar not null
);
insert into internal.house_claims by name
with portfolios as (
  select d.location, lower((d.document->>'$.house.domain')) as house_domain, d.document
  from internal.documents d join internal.crawl_state using (kind, location)
  where kind = 'brand.json' and d.variant = 'house_portfolio'
    and (d.document->>'$.house.domain') is not null and coalesce(ended_at > now(), true)),
named as (
  select location, house_domain, lower(identifier) as domain
  from portfolios join internal.property_declarations using (location)
  where type = 'website' and relationship = 'owned'
  union
  select location, house_domain, lower(unnest((document->>'$.brand_refs[*].domain'))) as domain from portfolios)
select * from named where domain is not null and domain != house_domain;
insert into internal.wakes by name
select distinct 'brand' as rule, domain as subject, now() as wakes_at
from internal.entries semi join internal.house_claims using (domain)
where entity = 'brand';
