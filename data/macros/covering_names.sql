create or replace macro covering_names(domain) as
  list_concat(
    [regexp_replace(
      domain, '^(?:www|m)\.([^.*]+\.(?:[^.]+|(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2}))$', '\1')],
    [if(starts_with(domain, '*.'), null, '*.' || array_to_string(string_split(domain, '.')[n:], '.'))
      for n in range(2, len(string_split(domain, '.')))]);
comment on macro covering_names is 'Identifiers of the type domain that cover a domain: its own, without www. or m., and the wildcard over each name above it. Join identifier_keys, unnested, with unnest(covering_names(domain_key(mine.site))).';
