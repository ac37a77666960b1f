create or replace macro domain_key(address) as
  nullif(
    regexp_extract(
      lower(trim(address)),
      '^(?:[a-z][a-z0-9+.-]*://)?(?:[^/@]*@)?((?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?)\.*(?:[/:?#].*)?$', 1),
    '');
comment on macro domain_key is 'Domain as every table writes it, from a domain or an address as people write it: left join publishers p on p.domain = domain_key(mine.site). Case, scheme, port, path and a dot at the end are dropped; www. is part of the name and stays (site_key drops it). Null for what is no domain; international domains must be A-labels already (xn--…).';
