create or replace macro site_key(address) as
  regexp_replace({domain_key}, '^www\.([^.]+\..+)$', '\1');
comment on macro site_key is 'domain_key without www., to find a site however a list writes it: left join publishers p on site_key(p.domain) = site_key(mine.site). A publisher that has files on both www. and the domain without it is found twice.';
