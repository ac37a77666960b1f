import type { Answer, OperationOf } from '../model/submission.ts'
import type { Database } from '../store/duckdb.ts'
import type { OperationDefinitions } from './operation-definition.ts'

const MERGED = 'a merge is for ever: whoever knew the one rid was told the other'

/** Operations on the index alone, which the accounts only answer and remember. */
export const indexDefinitions: OperationDefinitions<
  | 'domains.add'
  | 'held.release'
  | 'held.drop'
  | 'property.merge'
  | 'collection.merge'
  | 'audit.revert'
> = {
  'domains.add': {
    perform: answerDomains,
    irreversible:
      'the files are asked for already: take the domain down if nothing may be known of it',
  },
  'held.release': {
    perform: answerDomains,
    irreversible: 'what ended was told to all: the next crawl brings back what stands',
  },
  'held.drop': {
    perform: answerDomains,
    irreversible: 'the files are read again already',
  },
  'property.merge': { perform: answerMerge, irreversible: MERGED },
  'collection.merge': { perform: answerMerge, irreversible: MERGED },
  'audit.revert': {
    perform: () => ({ refused: 'whoever writes puts what that comes to in its place' }),
    requires: { membershipIn: ({ editor }) => editor.org_id },
    irreversible: 'it was refused: there is nothing to revert',
  },
}

function answerDomains(
  _: Database,
  { domains }: OperationOf<'domains.add' | 'held.release' | 'held.drop'>,
): Answer {
  return { done: { domains: domains.length } }
}

function answerMerge(
  _: Database,
  { alias_rid, canonical_rid }: OperationOf<'property.merge' | 'collection.merge'>,
): Answer {
  return { done: { alias_rid, canonical_rid } }
}
