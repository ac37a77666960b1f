import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../core/project-root.ts'
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

/** Reads the SQL of what analysts read: a view for each stored table, `data/views` and `data/macros`. */
export function readViewDefinitions(): string {
  return [buildPublishedViews(), ...readFiles('views'), ...readFiles('macros')].join('\n')
}
