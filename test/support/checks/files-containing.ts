import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files of a folder, at any depth, whose bytes contain a text. */
export function listFilesContaining(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .filter(name => readFileSync(join(folder, name)).includes(text))
}
