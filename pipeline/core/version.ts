import { readFileSync } from 'node:fs'
import { projectRoot } from './project-root.ts'

export interface Build {
  version: string
  /** Commit that was built, with `-modified` if its files had been edited; empty where nobody knows it. */
  commit: string
}

/** Reads which build is installed: for a process that reads it as it starts, the one that runs. */
export function readBuild(): Build {
  const file = readFileSync(`${projectRoot}/package.json`, 'utf8')
  return { version: (JSON.parse(file) as { version: string }).version, commit: readCommit() }
}

/** Reads the version that is installed, as it is shown: `1.0.0 (abc1234)`. */
export function readVersion(): string {
  return formatBuild(readBuild())
}

export function formatBuild({ version, commit }: Build): string {
  return commit === '' ? version : `${version} (${commit})`
}

/** Reads the commit that `npm run build` noted in dist/; programs that run from sources have none. */
function readCommit(): string {
  try {
    return readFileSync(new URL('../../commit', import.meta.url), 'utf8').trim()
  } catch {
    return ''
  }
}
