import { readFileSync } from 'node:fs'
import { projectRoot } from './project-root.ts'

/** Reads the version that is installed: for a process that reads it as it starts, the one that runs. */
export function readVersion(): string {
  const file = readFileSync(`${projectRoot}/package.json`, 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
