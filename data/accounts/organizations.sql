create table if not exists organizations (
  org_id varchar not null,
  name varchar not null,
  membership_tier varchar,
  is_personal boolean not null,
  company_type varchar,
  revenue_tier varchar,
  marketing_opt_in boolean not null,
  created_at timestamptz not null,
  seq bigint not null
);
comment on table organizations is 'Organizations, members or not.';
comment on column organizations.org_id is 'its id';
comment on column organizations.name is 'its name, which is unique';
comment on column organizations.membership_tier is 'its tier; null without a valid membership';
comment on column organizations.is_personal is 'whether it is the workspace of one person';
comment on column organizations.company_type is 'business of the organization, as its founder described it';
comment on column organizations.revenue_tier is 'size of the organization, as its founder gave it';
comment on column organizations.marketing_opt_in is 'whether its founder agreed to marketing mail';
comment on column organizations.created_at is 'time at which it was created';
comment on column organizations.seq is 'commit that last touched the row';
