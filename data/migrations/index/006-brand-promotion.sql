-- Files of an early form say which brand serves them: the schema that they name, and what was not read of them.
alter table internal.brands add column promotion json;
