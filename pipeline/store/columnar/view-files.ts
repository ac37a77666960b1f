import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { successfulOutcomes } from '../../core/outcomes.ts'
import { projectRoot } from '../../core/project-root.ts'
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

/** Parts of `data/views` that have their home in the code, by their name in braces. */
const filledIn = {
  successful_outcomes: successfulOutcomes.map(name => `'${name}'`).join(', '),
  operator_reasons: operatorReasons
    .map(rule => `${rule} (${operatorRules[rule]}: ${operatorTexts[rule]})`)
    .join(', ')
    .replaceAll("'", "''"),
}

const fillIn = (sql: string) =>
  Object.entries(filledIn).reduce((text, [name, part]) => text.replaceAll(`{${name}}`, part), sql)

/** Reads the SQL of what analysts read: a view for each stored table, `data/views` and `data/macros`. */
export function readViewDefinitions(): string {
  return [buildPublishedViews(), ...readFiles('views').map(fillIn), ...readFiles('macros')].join(
    '\n',
  )
}
