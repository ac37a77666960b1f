-- key: domain
-- takedown: deletes by domain
create table if not exists frontier (
  domain varchar not null,
  why varchar not null,
  since timestamptz not null
);
comment on table frontier is 'Domains the registry crawls, and why.';
comment on column frontier.domain is 'host name in A-labels';
comment on column frontier.why is 'given (by the registry’s operator), requested, saved, demanded (someone looked it up), hop (a document points there) or mentioned';
comment on column frontier.since is 'time at which the domain was added (UTC)';
