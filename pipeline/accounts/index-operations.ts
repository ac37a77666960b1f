import type { Answer, OperationOf } from '../model/submission.ts'
import type { Sqlite } from '../store/sqlite.ts'
import type { OperationDefinitions } from './operation-definition.ts'

const MERGED = 'a merge is permanent: readers of the feed have replaced the rid'

/** Operations that change only the index; the accounts record the submission and its answer. */
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
      'domains stay on the list of what is crawled. Only `registry takedown DOMAIN` deletes one, and it blocks it from then on',
  },
  'held.release': {
    perform: answerDomains,
    irreversible: 'the losses are already in the feed: the next crawl restores what is still valid',
  },
  'held.drop': {
    perform: answerDomains,
    irreversible: 'the files are already being crawled again',
  },
  'property.merge': { perform: answerMerge, irreversible: MERGED },
  'collection.merge': { perform: answerMerge, irreversible: MERGED },
  'audit.revert': {
    perform: () => ({ refused: 'the writer replaces it by the inverse operation' }),
    requires: { membershipIn: ({ editor }) => editor.org_id },
    irreversible: 'it was refused: there is nothing to revert',
  },
}

function answerDomains(
  _: Sqlite,
  { domains }: OperationOf<'domains.add' | 'held.release' | 'held.drop'>,
): Answer {
  return { done: { domains: domains.length } }
}

function answerMerge(
  _: Sqlite,
  { alias_rid, canonical_rid }: OperationOf<'property.merge' | 'collection.merge'>,
): Answer {
  return { done: { alias_rid, canonical_rid } }
}
