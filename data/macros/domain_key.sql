create or replace macro domain_key(address) as
  nullif(
    regexp_extract(
      regexp_extract(
        regexp_extract(lower(trim(address)), '^\s*(?:https?://)?\s*([^\s/?#]*[^\s/?#.])\s*\.?(?:[/?#]|\s*$)', 1),
        '^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?|[0-9]+(?:[a-z]|[a-z-][a-z0-9-]{0,60}[a-z0-9]))$'),
      '^(?:\*\.)?.{1,253}$'),
    '');
comment on macro domain_key is 'Domain as every table writes it, from a domain or an http address as people write it: left join publishers p on p.domain = domain_key(mine.site). It reads what the API reads: case, http:// or https://, the path and a dot at the end are dropped; www. is part of the name and stays (site_key drops it), and so does the *. of a wildcard. Null for anything else, such as an email address or an address with a port or another scheme; international domains must be A-labels already (xn--…).';
