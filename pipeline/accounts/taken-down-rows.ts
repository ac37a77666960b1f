import type { Domain } from '../core/domain.ts'
import type { Answer } from '../model/submission.ts'
import { buildDomainCondition, buildNamesPattern } from '../store/domain-match.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { listTakedownRules } from '../store/takedown-rules.ts'
import type { AccountStamp } from './stamp.ts'
import { deleteSubscription } from './subscriptions.ts'

/** Fields of a request that say what it is about. */
const PLACES = [
  'agent_url',
  'agent_urls',
  'agents',
  'contributed',
  'domain',
  'domains',
  'email_domain',
  'founding',
  'health_check_url',
  'subject',
  'subject_value',
  'url',
]

/** Content of a request that was about a domain which is taken down since. */
export const FORGOTTEN = { taken_down: true } as const

type Names = Record<'domains' | 'pattern', string>

/** Requests about a domain, but for those that changed the list itself. */
const IS_REQUEST_ABOUT = `operation not in ('domain.takedown', 'domain.readmit') and exists (
  select 1 from json_each(content) f
  where f.key in (${PLACES.map(name => `'${name}'`).join(', ')}) and regexp_matches(f.value, $pattern))`

const filterOf = (column: string) =>
  `exists (select 1 from json_each(${column}) f where ${buildDomainCondition('f.value')})`
const IS_FILTERED = `(deleted_at is null
  and (${buildDomainCondition('url')} or ${filterOf('domains')} or ${filterOf('agents')}))`
/** Without its filters a subscription would be posted everything. */
const HAS_OTHER_FILTERS = `exists (
  select 1 from (select value from json_each(domains) union all select value from json_each(agents)) f
  where not ${buildDomainCondition('f.value')})`

/** Lists the private rows that a takedown deletes, or whose content it deletes. */
export function listPrivateRows(): { table: string; condition: string }[] {
  return [
    ...listTakedownRules('accounts'),
    { table: 'logos', condition: buildDomainCondition('domain') },
    { table: 'submissions', condition: IS_REQUEST_ABOUT },
    { table: 'subscriptions', condition: IS_FILTERED },
  ]
}

/** Deletes private rows about domains that are taken down, and those below them. Idempotent. */
export function deletePrivateRows(db: Sqlite, all: readonly Domain[], stamp: AccountStamp): void {
  const { seq } = stamp
  const parameters = { domains: JSON.stringify(all), pattern: buildNamesPattern(all) }
  touchMembers(db, parameters, seq)
  db.run(
    `insert into changes (seq, space, key)
     select $seq, 'gone origin', domain from origins where ${buildDomainCondition('domain')}`,
    { ...parameters, seq },
  )
  for (const { table, column, condition, isCleared } of listTakedownRules('accounts')) {
    if (!isCleared) db.run(`delete from ${table} where ${condition}`, parameters)
    else
      db.run(`update ${table} set ${column} = null, seq = $seq where ${condition}`, {
        ...parameters,
        seq,
      })
  }
  db.run(
    `update logos set status = 'rejected', domain = '', tags = '[]', note = null, seq = $seq
     where ${buildDomainCondition('domain')}`,
    { ...parameters, seq },
  )
  narrowSubscriptions(db, parameters, stamp)
  forgetRequests(db, parameters)
}

/** Records that the public facts of members change. */
function touchMembers(db: Sqlite, parameters: Names, seq: number): void {
  db.run(
    `update members set seq = $seq where org_id in (
       select org_id from verified_domains where ${buildDomainCondition('domain')}
       union select org_id from member_agents where ${buildDomainCondition('agent_url')})`,
    { ...parameters, seq },
  )
}

/** Takes the domains out of the filters of subscriptions; deletes those that have no other, and those that are posted there. */
function narrowSubscriptions(db: Sqlite, parameters: Names, stamp: AccountStamp): void {
  const gone = db.all<{ subscription_id: string; org_id: string }>(
    `select subscription_id, org_id from subscriptions
     where ${IS_FILTERED} and (${buildDomainCondition('url')} or not ${HAS_OTHER_FILTERS})`,
    parameters,
  )
  for (const which of gone) deleteSubscription(db, { op: 'subscription.delete', ...which }, stamp)
  const keep = (column: string) =>
    `${column} = (select json_group_array(f.value) from json_each(${column}) f
       where not ${buildDomainCondition('f.value')})`
  db.run(
    `update subscriptions set ${keep('domains')}, ${keep('agents')}, seq = $seq where ${IS_FILTERED}`,
    { ...parameters, seq: stamp.seq },
  )
}

/** Deletes what requests asked for and changed. Of the answers only ids stay, by which others find what they made. */
function forgetRequests(db: Sqlite, parameters: Names): void {
  const rows = db.all<{ id: string; answer: Answer }>(
    `select submission_id as id, answer from submissions where ${IS_REQUEST_ABOUT}`,
    parameters,
  )
  for (const { id, answer } of rows) {
    const forgotten = forgetRequest({ answer })
    db.run(
      `update submissions set content = $content, answer = $answer, changes = null where submission_id = $id`,
      {
        id,
        content: JSON.stringify(forgotten.content),
        answer: JSON.stringify(forgotten.answer),
      },
    )
  }
}

/** Builds what is kept of a request about a place that was taken down. */
export function forgetRequest({ answer }: { answer: Answer }) {
  return { content: FORGOTTEN, answer: forgetAnswer(answer) }
}

function forgetAnswer({ digest, ...answer }: Answer): Answer {
  const more = digest === undefined ? {} : { digest }
  if ('refused' in answer) return { refused: 'the domain was taken down', ...more }
  const ids = Object.entries(answer.done).filter(([name]) => name.endsWith('_id'))
  return { done: Object.fromEntries(ids), ...more }
}
