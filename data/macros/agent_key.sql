create or replace macro agent_key(address) as
  case when regexp_matches(trim(address), '(?i)^https?://[^/?#@\s]+([/?#]\S*)?$') then
    lower(regexp_extract(trim(address), '^[^:]+://'))
    || regexp_replace(
      regexp_replace(
        lower(regexp_extract(trim(address), '://([^/?#]+)', 1)),
        if(trim(address) ilike 'https:%', ':443$', ':80$'), ''),
      '\.(:[0-9]+)?$', '\1')
    || rtrim(regexp_extract(trim(address), '://[^/?#]+([^?#]*)', 1), '/')
    || regexp_extract(trim(address), '^[^?#]+(\?[^#]*)', 1)
  end;
comment on macro agent_key is 'Key of an agent, by which every table names it, from an address as people write it: left join agent_reach r on r.agent_url = agent_key(mine.url). Scheme and host become lower case; the default port, the fragment and slashes at the end are dropped. Null for what is no http address. Percent escapes and international hosts stay as they are.';
