/** Selects who created each API key, where that is known: a person by their address, a key by its label. */
export const KEY_CREATORS = `
select k.key_id, k.org_id, coalesce(p.email, p.name, c.label, s.by_id) as creator
from api_keys k join submissions s on s.operation = 'key.create' and s.content ->> '$.key_id' = k.key_id
  left join people p on s.by_kind = 'user' and p.user_id = s.by_id
  left join api_keys c on s.by_kind = 'key' and c.key_id = s.by_id
where s.answer -> '$.done' is not null and s.by_id is not null`

/** Selects the first characters of each API key, where they were stored. */
export const KEY_PREFIXES = `
select k.key_id, k.org_id, s.content ->> '$.prefix' as prefix
from api_keys k join submissions s on s.operation = 'key.create' and s.content ->> '$.key_id' = k.key_id
where s.answer -> '$.done' is not null and s.content ->> '$.prefix' is not null`
