import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { successfulOutcomes } from '../../core/outcomes.ts'
import { requireValue } from '../../core/present.ts'
import { projectRoot } from '../../core/project-root.ts'
import {
  bestToWorst,
  hopsMax,
  NOWHERE,
  STALE_AFTER_MS,
  statesByEffect,
} from '../../model/file-state.ts'
import { buildHostedAddress, type HostedKind, hostedKinds } from '../../model/hosted.ts'
import { operatorReasons, operatorRules, operatorTexts } from '../../model/operator-side.ts'
import { buildPublishedViews } from './published-views.ts'

const listFiles = (folder: string) =>
  readdirSync(join(projectRoot, 'data', folder))
    .filter(file => file.endsWith('.sql'))
    .sort()

const readFiles = (folder: string) =>
  listFiles(folder).map(file => readFileSync(join(projectRoot, 'data', folder, file), 'utf8'))

/** Lists the views for analysts by name. */
export function listViews(): string[] {
  return listFiles('views').map(file => file.slice(0, -4))
}

/** Converts what JSON can say to SQL. */
const toSql = (value: object) => JSON.stringify(value).replaceAll('"', "'")

/** Builds SQL for the place of the file that this registry hosts for the domain `w.start`. */
const toHostedPath = (kind: HostedKind) =>
  [kind, buildHostedAddress('', kind, "' || w.start || '")] as const

/** Reads the expression of a macro. One that called another would need its database to be the current one. */
function readMacro(name: string): string {
  const sql = readFileSync(join(projectRoot, 'data/macros', `${name}.sql`), 'utf8')
  return requireValue(/ as\n(.*?);\ncomment on /s.exec(sql)?.[1], 'expression').trim()
}

/** Parts of `data/views` and `data/macros` that have their home in the code, by their name in braces. */
const filledIn = {
  successful_outcomes: successfulOutcomes.map(name => `'${name}'`).join(', '),
  operator_reasons: operatorReasons
    .map(rule => `${rule} (${operatorRules[rule]}: ${operatorTexts[rule]})`)
    .join(', ')
    .replaceAll("'", "''"),
  states_by_effect: `map ${toSql(statesByEffect)}`,
  best_to_worst: toSql(bestToWorst),
  stale_after_ms: String(STALE_AFTER_MS),
  hops_max: `map ${toSql(hopsMax)}`,
  hosted_paths: `map ${toSql(Object.fromEntries(hostedKinds.map(toHostedPath)))}`,
  nowhere: NOWHERE,
  domain_key: readMacro('domain_key'),
}

const fillIn = (sql: string) =>
  Object.entries(filledIn).reduce(
    (text, [name, part]) => text.replaceAll(`{${name}}`, () => part),
    sql,
  )

/** Reads the SQL of what analysts read: a view for each stored table, `data/views` and `data/macros`. */
export function readViewDefinitions(): string {
  const files = [...readFiles('views'), ...readFiles('macros')]
  return [buildPublishedViews(), ...files.map(fillIn)].join('\n')
}
