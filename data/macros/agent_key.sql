create or replace macro agent_key(address) as
  case when regexp_matches(trim(address),
    '^(?i:https?://)(?:(?:[A-Za-z0-9_-]+\.)*[A-Za-z][A-Za-z0-9_-]*|(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2}))\.?(?::[1-9][0-9]{0,4})?'
    || '(?:/(?:[A-Za-z0-9._~!$&''()*+,;=:@/|-]|%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[BCDF]))*)?'
    || '(?:\?(?:[A-Za-z0-9._~!$&()*+,;=:@/?|-]|%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|[46]0|5[B-E]|7[BCDF]))*)?(?:#\S*)?$')
    and not regexp_matches(trim(address), '^[^?#]*/\.\.?(?:[/?#]|$)')
  then
    lower(regexp_extract(trim(address), '^[^:]+://'))
    || regexp_replace(
      regexp_replace(
        lower(regexp_extract(trim(address), '://([^/?#]+)', 1)),
        if(trim(address) ilike 'https:%', ':443$', ':80$'), ''),
      '\.(:[0-9]+)?$', '\1')
    || rtrim(regexp_extract(trim(address), '://[^/?#]+([^?#]*)', 1), '/')
    || regexp_extract(trim(address), '^[^?#]+(\?[^#]*)', 1)
  end;
comment on macro agent_key is 'Key by which every table names an agent, from a URL as people write it: left join agent_reach r on r.agent_url = agent_key(mine.url). Scheme and host become lowercase; the default port, the fragment and slashes at the end are dropped. Null for what is no http address, and for what only the API rewrites: . or .. as a part of the path, percent escapes that are not needed or in lowercase, international hosts that are no A-labels.';
