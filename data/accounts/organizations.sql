-- Organizations, members or not.
-- takedown: keeps, since an organization is about no domain
create table if not exists organizations (
  -- its id
  org_id varchar not null,
  -- its name, which is unique
  name varchar not null,
  -- its tier; null without a valid membership
  membership_tier varchar,
  -- whether it is the workspace of one person
  is_personal boolean not null,
  -- business of the organization, as its founder described it
  company_type varchar,
  -- size of the organization, as its founder gave it
  revenue_tier varchar,
  -- whether its founder agreed to marketing mail
  marketing_opt_in boolean not null,
  -- time at which it was created
  created_at timestamptz not null,
  -- commit that last touched the row
  seq bigint not null
);
create index if not exists organizations_by_org_id on organizations (org_id);
create index if not exists organizations_by_name on organizations (name);
create index if not exists organizations_by_seq on organizations (seq);
