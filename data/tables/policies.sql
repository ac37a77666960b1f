-- key: policy_id
-- stored as: shown_policies
create table if not exists policies (
  policy_id varchar not null,
  version varchar not null,
  name varchar not null,
  description varchar,
  category varchar not null, -- published as enum policy_category
  enforcement varchar not null, -- published as enum enforcement
  jurisdictions varchar[] not null,
  region_aliases json not null,
  policy_categories varchar[] not null,
  channels varchar[],
  governance_domains varchar[] not null,
  effective_date varchar, -- published as date
  sunset_date varchar, -- published as date
  source_url varchar,
  source_name varchar,
  policy varchar not null,
  guidance varchar,
  exemplars json,
  ext json,
  source_type varchar not null,
  review_status varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table policies is 'Policies that agents refer to: laws and standards of advertising.';
comment on column policies.policy_id is 'lower-case letters, digits and _';
comment on column policies.version is 'as its author numbers it';
comment on column policies.name is 'name of the policy, for people';
comment on column policies.description is 'subject of the policy; null where it has none';
comment on column policies.category is 'regulation or standard';
comment on column policies.enforcement is 'must, should or may';
comment on column policies.jurisdictions is 'where it holds; with no region either it holds everywhere';
comment on column policies.region_aliases is 'names of regions, each with the jurisdictions that it includes';
comment on column policies.policy_categories is 'kinds of advertising it is about';
comment on column policies.channels is 'channels it is about; null for all';
comment on column policies.governance_domains is 'fields of governance it belongs to';
comment on column policies.effective_date is 'date or time from which it applies; null means always';
comment on column policies.sunset_date is 'date or time until which it applies; null means for ever';
comment on column policies.source_url is 'where it is published; null where that is not said';
comment on column policies.source_name is 'publisher of the source; null where that is not said';
comment on column policies.policy is 'its text';
comment on column policies.guidance is 'how to apply it; null where that is not said';
comment on column policies.exemplars is 'scenarios that pass and that fail, each with why; null where there are none';
comment on column policies.ext is 'further content of its author; null where there is none';
comment on column policies.source_type is 'registry, which nobody else changes, or community';
comment on column policies.review_status is 'pending or approved; lists show the approved ones';
comment on column policies.created_at is 'first saved';
comment on column policies.updated_at is 'last saved';
comment on column policies.seq is 'commit that last touched the row';
