-- key: policy_id
-- stored as: shown_policies
-- takedown: keeps, since a policy is about no domain
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
comment on table policies is 'Policies that agents refer to: advertising laws and standards.';
comment on column policies.policy_id is 'lowercase letters, digits and _';
comment on column policies.version is 'version that the policy’s author gave it';
comment on column policies.name is 'display name of the policy';
comment on column policies.description is 'summary of the policy, in a few sentences; null if there is none';
comment on column policies.category is 'regulation or standard';
comment on column policies.enforcement is 'must, should or may';
comment on column policies.jurisdictions is 'jurisdictions in which the policy applies; with no region either, it applies everywhere';
comment on column policies.region_aliases is 'names of regions, each with the jurisdictions that it includes';
comment on column policies.policy_categories is 'advertising categories that the policy covers';
comment on column policies.channels is 'channels that the policy covers; null for all';
comment on column policies.governance_domains is 'areas that the policy governs';
comment on column policies.effective_date is 'date or time from which the policy applies; null means no start';
comment on column policies.sunset_date is 'date or time until which the policy applies; null means no end';
comment on column policies.source_url is 'where the policy is published; null if unknown';
comment on column policies.source_name is 'publisher of the source; null if unknown';
comment on column policies.policy is 'text of the policy';
comment on column policies.guidance is 'how to apply the policy; null if there is no guidance';
comment on column policies.exemplars is 'examples that pass and that fail, each with the reason; null if there are none';
comment on column policies.ext is 'additional fields from the policy’s author; null if there are none';
comment on column policies.source_type is 'registry (only the registry changes it) or community';
comment on column policies.review_status is 'pending or approved; lists show the approved ones';
comment on column policies.created_at is 'when the policy was first saved (UTC)';
comment on column policies.updated_at is 'when the policy was last saved (UTC)';
comment on column policies.seq is 'commit that last touched the row';
